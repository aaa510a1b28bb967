# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Stands in for `shadowvm bench ssb --interactive` in tests of the comparison itself: answers as DuckDB would, and
wrongly where SCRIPT says so (wrong-order, missing-row, die, error)."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

from duckdb_engine import DuckEngine  # noqa: E402
from ssb_queries import QUERIES, VARIANTS  # noqa: E402

MACHINE = {"cpu": "scripted", "cores": 1, "memory_bytes": 1 << 30, "simd": [], "kernel": "none",
           "read_bytes_per_second": {"one_thread": 1e9, "all": 2e9}}


def answer(engine: DuckEngine, line: str, script: str) -> dict:
    name, _, constants = line.partition(" ")
    if name == "machine":
        return MACHINE
    if script == "error":
        return {"error": "SVM-9001 internal error: scripted"}
    sql = VARIANTS[name][1].format(**json.loads(constants)) if constants else QUERIES[name]
    rows = engine.ask(sql)["rows"]
    if script == "wrong-order":
        rows.reverse()
    if script == "missing-row":
        rows.pop()
    return {"name": name, "ms": 1.0, "compile_ms": 0, "compiles": 0, "bytes": 1000, "rows": rows}


def main():
    script = os.environ.get("SCRIPT", "")
    if script == "die":
        sys.exit("scripted end")
    engine = DuckEngine(Path(sys.argv[sys.argv.index("--data") + 1]), 1)
    for line in sys.stdin:
        print(json.dumps(answer(engine, line.strip(), script)), flush=True)


main()
