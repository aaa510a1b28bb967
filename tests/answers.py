# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Runs commands with `shadowvm replay` and compares their answers with DuckDB's, value by value.

Where the two differ on purpose (ours follows Spark), the SQL says what ours means:
- sum of integers is a 64-bit integer here, a 128-bit one in DuckDB: cast in the SQL;
- the average of decimals is a decimal here, a double in DuckDB: compared to the digits a double has;
- division by zero is null here, infinite or an error in DuckDB: guarded in the SQL;
- casts of fractions to integers cut here, round in DuckDB: trunc() in the SQL;
- integers wrap here, DuckDB fails: data are small, and wrapping has its own test;
- nulls sort first when ascending here: the SQL always says where they go.
"""

import json
import math
from collections import Counter
from decimal import Context, Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

# Python's own context rounds to 28 digits; ours have up to 38.
EXACT = Context(prec=76)


class Answer:
    """What replay said of one command: a table, or an error."""

    def __init__(self, report: dict, file: Path):
        self.report = report
        self.error = report.get("error", "")
        self.file = file

    @property
    def table(self) -> pa.Table:
        assert not self.error, self.error
        return pa.ipc.open_file(self.file).read_all()


def replay(program, folder: Path, commands: dict, *options, rounds=1, timeout=1800, **environment) -> dict[str, Answer]:
    """Runs named commands in one process, so that they share tables and kernels; all of them so often, the last counts."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: folder / f"{name}.json" for name in commands}
    for name, command in commands.items():
        files[name].write_text(command.text())
    out = folder / "answers"
    # One file's answer goes to a file, several go to a folder: a trailing name makes both alike.
    target = out / f"{next(iter(files))}.arrow" if len(files) * rounds == 1 else out
    out.mkdir(exist_ok=True)
    result = program.run("replay", *list(files.values()) * rounds, "--out", target, "--json", folder / "report.json", *options,
                         timeout=timeout, **environment)
    assert result.returncode in (0, 1), f"replay ended with {result.returncode}: {result.stderr[-2000:]}"
    reports = json.loads((folder / "report.json").read_text())["commands"][-len(files):]
    return {name: Answer(report, out / f"{name}.arrow") for name, report in zip(commands, reports, strict=True)}


# How a test is run: by cores; on a GPU where it can, whose kernels run on the CPU, slowly; by cores and that GPU, half of
# the rows each.
MODES = {"cpu": (), "gpu": ("--mode", "gpu", "--emulate-gpu"),
         "mixed": ("--mode", "mixed", "--emulate-gpu", "--policy", "static:50", "--partitions", "8")}
# Both work on what is in memory, so the second time all of it counts.
ROUNDS = {"cpu": 1, "gpu": 1, "mixed": 2}
# How the reasons begin why the GPU leaves a pipeline to cores. Anything else is a text that does not compile, or a
# kernel that fails.
NOT_FOR_A_GPU = ("a limit",
                 # These build sides are rows instead of tables.
                 "a key of the build side comes twice", "groups by columns of a build side")
# What speeds that were measured so far decide, and not the query.
NOT_WORTH_IT = ("which costs more to bring back than to find", "are more than are worth bringing back",
                "cores were done before the GPU had begun", "cores were done with all of it before the GPU was")
# The same for sorts.
NOT_SORTED_THERE = ("too few rows", "a few of many rows", "most rows differ only beyond")


def check_gpu_share(answers: dict[str, Answer], mode: str, least: float):
    """So many pipelines ran in the mode; the reasons of the others are shown with what fails, and by pytest -s."""
    pipelines = [pipeline for answer in answers.values() for pipeline in answer.report.get("pipelines", [])]
    others = Counter(pipeline["reason"] for pipeline in pipelines if pipeline["mode"] != mode)
    failed = {pipeline["reason"] for pipeline in pipelines if "reason" in pipeline and
              not pipeline["reason"].startswith(NOT_FOR_A_GPU) and
              not (mode == "mixed" and pipeline["reason"].endswith(NOT_WORTH_IT))}
    ran = len(pipelines) - others.total()
    print(f"{ran} of {len(pipelines)} pipelines in mode {mode}; not:", *(f"{n} {why}" for why, n in others.most_common()),
          sep="\n  ")
    assert not failed, failed
    assert pipelines and ran >= least * len(pipelines), f"{ran} of {len(pipelines)} in mode {mode}: {others}"
    there = sum(pipeline["rows_on_gpu"] > 0 for pipeline in pipelines)
    print(f"{there} had rows on the GPU")
    # Some have no rows; of mixed ones cores may have done those of few rows alone.
    assert mode == "cpu" or there >= ran * (0.5 if mode == "mixed" else 0.95), f"{there} of {ran}"


def check_sorts(answers: dict[str, Answer], least: float):
    """So many sorts were the GPU's in mode gpu, each with its times; the others' reasons are on the list."""
    sorts = [sort for answer in answers.values() for sort in answer.report.get("sorts", [])]
    there = [sort for sort in sorts if sort["mode"] == "gpu"]
    others = Counter(sort["reason"] for sort in sorts if sort["mode"] != "gpu")
    print(f"{len(there)} of {len(sorts)} sorts on the GPU; not:", *(f"{n} {why}" for why, n in others.most_common()), sep="\n  ")
    assert all(sort["predicted_ms"] > 0 and sort["kernel_ms"] > 0 and "reason" not in sort for sort in there)
    assert all(why.startswith(NOT_SORTED_THERE) for why in others), others
    assert sorts and len(there) >= least * len(sorts), others


def plain_value(value):
    """Numbers as numbers: a decimal that ends in zeros is the decimal without them."""
    return EXACT.add(EXACT.normalize(value), Decimal(0)) if isinstance(value, Decimal) else value


def rows_of(table: pa.Table) -> list[tuple]:
    columns = []
    for column in table.columns:
        if pa.types.is_timestamp(column.type):
            column = pc.cast(column, pa.timestamp("us", column.type.tz)).cast(pa.int64())
        elif pa.types.is_date(column.type):
            column = column.cast(pa.int32())
        columns.append([plain_value(value) for value in column.to_pylist()])
    return list(zip(*columns, strict=True)) if columns else []


def sorted_rows(rows: list[tuple]) -> list[tuple]:
    """In any one order; floats count only as far as the engines agree on them."""
    return sorted(rows, key=lambda row: [(v is None, isinstance(v, float), _comparable(v)) for v in row])


def _comparable(value):
    if value is None:
        return 0
    if isinstance(value, float):
        return math.inf if math.isnan(value) else round(value, 4)
    return value


def same_value(ours, theirs) -> bool:
    if isinstance(ours, float) or isinstance(theirs, float):
        if ours is None or theirs is None:
            return ours is theirs
        ours, theirs = float(ours), float(theirs)
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-9,
                                                                                           abs_tol=1e-6)
    return ours == theirs


def check_rows(ours: list[tuple], theirs: list[tuple], ordered: bool, what: str):
    if not ordered:
        ours, theirs = sorted_rows(ours), sorted_rows(theirs)
    assert len(ours) == len(theirs), f"{len(ours)} rows, DuckDB {len(theirs)}: {what}"
    for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        assert len(mine) == len(other), what
        assert all(map(same_value, mine, other)), f"row {index}: {mine}, DuckDB {other}: {what}"


def check_answer(answer: Answer, duck, sql: str, ordered: bool = False):
    assert not answer.error, f"{answer.error}: {sql}"
    theirs = duck.execute(sql).to_arrow_table()
    check_rows(rows_of(answer.table), rows_of(theirs), ordered, sql)
