# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Random queries have the answers that DuckDB gives. SHADOWVM_SEED chooses others than the usual ones."""

import os

import pytest
from answers import MODES, ROUNDS, check_answer, check_gpu_share, replay
from random_queries import Data, make_query

FIRST_SEED = int(os.environ.get("SHADOWVM_SEED", "1000"))
USUAL, BATCH = 160, 40
LONG = 1200


def run_batch(program, tables, folder, seeds, duck, *options, mode="cpu"):
    """One process a batch: queries share tables and kernels, and a crash is soon traced."""
    data = Data(tables.facts, tables.dims, duck)
    queries = {f"q{seed}": make_query(seed, data) for seed in seeds}
    commands = {name: query.command for name, query in queries.items()}
    answers = replay(program, folder, commands, *MODES[mode], *options, rounds=ROUNDS[mode])
    if mode != "cpu":
        check_gpu_share(answers, mode, {"gpu": 0.9, "mixed": 0.9}[mode])
    wrong = []
    num_empty = 0
    for name, query in queries.items():
        try:
            check_answer(answers[name], duck, query.sql, query.ordered)
            num_empty += answers[name].table.num_rows == 0
        except AssertionError as difference:
            wrong.append(f"{name}: {str(difference)[:1500]}")
    assert not wrong, f"{len(wrong)} of {len(queries)} differ; the first: {wrong[0]}\nall: {[w[:6] for w in wrong]}"
    assert num_empty <= len(queries) / 5, f"{num_empty} answers without a row show little"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("first", range(FIRST_SEED, FIRST_SEED + USUAL, BATCH))
def test_random_queries(program, tables, duck, tmp_path, first, mode):
    run_batch(program, tables, tmp_path, range(first, first + BATCH), duck, mode=mode)


@pytest.mark.long
@pytest.mark.parametrize("first", range(FIRST_SEED + 10_000, FIRST_SEED + 10_000 + LONG, BATCH))
def test_more_random_queries(program, tables, duck, tmp_path, first):
    run_batch(program, tables, tmp_path, range(first, first + BATCH), duck, "--threads", 1 + first // BATCH % 3)
