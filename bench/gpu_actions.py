# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What the star schema does not ask of a GPU: strings as keys, least strings, groups by hash, rows that leave, joins by
hash. Each by cores, by the card and by both, beside DuckDB over the same rows, whose answers every one must have.

    python3 bench/gpu_actions.py --program dist/bin/shadowvm --rows 20000000 --out bench/results/gpu-actions
    python3 bench/gpu_actions.py --program build/dev/bin/shadowvm --rows 20000 --emulate-gpu --runs 1 --out /tmp/try

Tables are generated, as files in a temporary folder, and lie in memory, or the card's, when a query is timed: the
fastest run counts, the first one aside. Of a question that is asked with other constants every time, so that its join's
table has to be made every time, it is the fastest first run, the very first aside. It ends with 1 when an answer is
wrong.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MODES = {"cpu": ("--mode", "cpu"), "gpu": ("--mode", "gpu", "--residency", "device"),
         "gpu, host": ("--mode", "gpu", "--residency", "host"), "mixed": ("--mode", "mixed", "--residency", "host"),
         "auto": ("--mode", "auto",)}


def column(name: str) -> dict:
    return {"column": {"name": name}}


def integer(value: int) -> dict:
    return {"literal": {"type": {"kind": "TYPE_KIND_INT32"}, "intValue": str(value)}}


def below(name: str, value: int) -> dict:
    return {"call": {"operator": "OPERATOR_LESS", "args": [column(name), integer(value)]}}


def aggregates(*asked: tuple[str, str]) -> list[dict]:
    return [{"function": f"AGGREGATE_FUNCTION_{function.upper()}", "argument": column(of), "name": f"{function}_{of}"}
            for function, of in asked]


@dataclass(frozen=True)
class Question:
    """Actions over the facts' scan, each over the one before it, and the same in SQL, sorted or not. A question of
    several constants is asked with each of them: only rows of the build side with less weight are joined."""

    name: str
    actions: tuple
    sql: str
    joins: bool = False
    constants: tuple = (None,)

    def command(self, folder: Path, constant: int | None) -> dict:
        def scan(number, table):
            return {"id": number, "scan": {"files": {"paths": [str(folder / f"{table}.parquet")]}}}
        result = [scan(1, "facts")] + ([scan(2, "builds")] if self.joins else [])
        last = [1, 2] if self.joins else [1]
        if constant is not None:
            result.append({"id": 3, "inputs": [2], "filter": {"conditions": [below("weight", constant)]}})
            last = [1, 3]
        for kind, body in self.actions:
            number = len(result) + 1
            result.append({"id": number, "inputs": last, kind: body})
            last = [number]
        return {"protocolVersion": 1, "actions": result, "root": len(result)}


def grouped(keys: list[str], *asked: tuple[str, str]) -> tuple:
    return "aggregate", {"keys": [{"name": key, "expression": column(key)} for key in keys],
                         "aggregates": aggregates(*asked)}


JOIN = ("join", {"kind": "JOIN_KIND_INNER", "leftKeys": [column("a"), column("b")],
                 "rightKeys": [column("c"), column("d")], "buildSide": "BUILD_SIDE_RIGHT"})
QUESTIONS = (
    Question("groups by strings", (grouped(["name"], ("sum", "value"), ("max", "a")),),
             "SELECT name, sum(value)::BIGINT, max(a) FROM facts GROUP BY name"),
    Question("least and greatest string", (grouped([], ("min", "name"), ("max", "name")),),
             "SELECT min(name), max(name) FROM facts"),
    Question("least string of 1,000 groups", (grouped(["small"], ("min", "name"), ("max", "name")),),
             "SELECT small, min(name), max(name) FROM facts GROUP BY small"),
    Question("groups by hash", (grouped(["far"], ("sum", "value"), ("min", "a")),),
             "SELECT far, sum(value)::BIGINT, min(a) FROM facts GROUP BY far"),
    Question("rows with strings", (("filter", {"conditions": [below("small", 5)]}),
                                   ("map", {"expressions": [{"name": n, "expression": column(n)}
                                                            for n in ("name", "far", "value")]})),
             "SELECT name, far, value FROM facts WHERE small < 5"),
    Question("a join by hash", (JOIN, grouped([], ("sum", "weight"), ("max", "value"))),
             "SELECT sum(weight)::BIGINT, max(value) FROM facts JOIN builds ON a = c AND b = d", joins=True),
    Question("a join by hash, its table made every time", (JOIN, grouped([], ("sum", "weight"), ("max", "value"))),
             "SELECT sum(weight)::BIGINT, max(value) FROM facts JOIN builds ON a = c AND b = d WHERE weight < {}",
             joins=True, constants=tuple(range(90, 100))),
)


def make_tables(folder: Path, rows: int):
    """Half of the facts have a partner among the builds, whose keys are different."""
    random = np.random.default_rng(7)
    names, fars, builds = max(rows // 64, 10), max(rows // 8, 10), max(rows // 4, 10)
    of_name = pc.binary_join_element_wise("customer number ", pa.array(np.arange(names) + 10**8).cast(pa.string()), "")
    key = random.integers(0, 2 * builds, rows)
    facts = {"small": random.integers(0, 1000, rows).astype("int32"),
             "far": random.integers(0, fars, rows) * 1_000_000_007,
             "name": of_name.take(pa.array(random.integers(0, names, rows))),
             "a": (key % 10_007).astype("int32"), "b": (key // 10_007).astype("int32"),
             "value": random.integers(-1000, 1000, rows).astype("int32")}
    key = random.permutation(builds)
    build = {"c": (key % 10_007).astype("int32"), "d": (key // 10_007).astype("int32"),
             "weight": random.integers(0, 100, builds).astype("int32")}
    for name, columns in {"facts": facts, "builds": build}.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet", compression=None, row_group_size=1 << 20)


def in_order(table: pa.Table) -> pa.Table:
    """Rows sorted by all columns, named by number: what is left to compare are values."""
    table = table.rename_columns([str(number) for number in range(table.num_columns)]).combine_chunks()
    columns = [c.cast(pa.int64()) if pa.types.is_integer(c.type) else c for c in table.columns]
    table = pa.table({str(number): c for number, c in enumerate(columns)})
    return table.sort_by([(name, "ascending") for name in table.column_names])


class Bench:
    """Both engines over one folder of tables."""

    def __init__(self, settings: argparse.Namespace, folder: Path):
        self._settings, self._folder = settings, folder
        self._duck = duckdb.connect()
        for table in ("facts", "builds"):
            self._duck.execute(f"CREATE TABLE {table} AS SELECT * FROM '{folder / table}.parquet'")

    def duck(self, question: Question) -> tuple[float, list[pa.Table]]:
        best, answers = float("inf"), {}
        for constant in question.constants * (max(self._settings.runs, 2) if len(question.constants) == 1 else 1):
            start = time.perf_counter()
            answer = self._duck.sql(question.sql.format(constant)).to_arrow_table()
            best = min(best, (time.perf_counter() - start) * 1e3)
            answers[constant] = in_order(answer)
        return best, list(answers.values())

    def shadow(self, mode: str) -> list[dict]:
        """What `shadowvm replay` says of every question, with its answers, by constant."""
        files = []
        for number, question in enumerate(QUESTIONS):
            for constant in question.constants:
                files.append(self._folder / f"q{number}-{constant}.json")
                files[-1].write_text(json.dumps(question.command(self._folder, constant)))
        out, report = self._folder / "answers", self._folder / "report.json"
        out.mkdir(exist_ok=True)
        emulated = ("--emulate-gpu",) if self._settings.emulate_gpu and mode != "cpu" else ()
        subprocess.run([self._settings.program, "replay", *files, "--out", out, "--json", report, "--runs",
                        str(self._settings.runs + 1), *MODES[mode], *emulated], check=True, stdout=subprocess.DEVNULL)
        commands = json.loads(report.read_text())["commands"]
        for file, command in zip(files, commands):
            command["answer"] = in_order(pa.ipc.open_file(out / f"{file.stem}.arrow").read_all())
        commands = iter(commands)
        return [summed_up([next(commands) for _ in question.constants]) for question in QUESTIONS]


def summed_up(commands: list[dict]) -> dict:
    """One question's, asked with each of its constants."""
    best = commands[0] if len(commands) == 1 else min(commands[1:], key=lambda command: command["first_ms"])
    return best | {"ms": best["total_ms" if len(commands) == 1 else "first_ms"], "first_ms": commands[0]["first_ms"],
                   "answers": [command["answer"] for command in commands],
                   "runs_agree": all(command["runs_agree"] for command in commands)}


def place(command: dict) -> dict:
    """Where the last pipeline ran, which sees most rows, and who made the join's table."""
    pipelines = command.get("pipelines", [])
    found = {"ran": pipelines[-1]["mode"], "rows_on_gpu": pipelines[-1]["rows_on_gpu"],
             "reason": pipelines[-1].get("reason", "")} if pipelines else {}
    fills = [fill["mode"] for fill in command.get("fills", [])]
    return found | ({"table_by": fills[-1]} if fills else {})


def page(content: dict) -> str:
    lines = [f"# Actions on a GPU, {content['rows']:,} rows", "", f"{content['date']}, {content['machine']}. "
             "Milliseconds, the fastest run; answers are DuckDB's in every mode.", "",
             "| question | DuckDB | " + " | ".join(MODES) + " |", "| --- |" + " ---: |" * (len(MODES) + 1)]
    for name, found in content["questions"].items():
        times = [f"{found['modes'][mode]['ms']:.1f}" for mode in MODES]
        lines.append(f"| {name} | {found['duckdb_ms']:.1f} | " + " | ".join(times) + " |")
    lines += ["", "`gpu`: columns are in the card's memory; `gpu, host` and `mixed`: in the host's. "
              "What became of each pipeline is in the JSON beside this.", ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--emulate-gpu", action="store_true")
    parser.add_argument("--out", type=Path, required=True, help="OUT.json and OUT.md are written")
    settings = parser.parse_args()
    said = subprocess.run([settings.program, "doctor"], capture_output=True, text=True, check=False).stdout
    machine = next((" ".join(line.split()) for line in said.splitlines() if "gpu " in line), "no GPU")
    content = {"rows": settings.rows, "date": datetime.date.today().isoformat(), "machine": machine,
               "emulated": settings.emulate_gpu, "questions": {}}
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        make_tables(Path(name), settings.rows)
        bench = Bench(settings, Path(name))
        theirs = [bench.duck(question) for question in QUESTIONS]
        for question, (ms, _) in zip(QUESTIONS, theirs):
            content["questions"][question.name] = {"duckdb_ms": ms, "modes": {}}
        for mode in MODES:
            for question, (_, answers), command in zip(QUESTIONS, theirs, bench.shadow(mode)):
                pairs = zip(command["answers"], answers, strict=True)
                right = command["runs_agree"] and all(own.equals(other) for own, other in pairs)
                if not right:
                    wrong.append(f"{question.name}, {mode}")
                content["questions"][question.name]["modes"][mode] = {
                    "ms": command["ms"], "first_ms": command["first_ms"], "right": right} | place(command)
                print(f"{question.name:30} {mode:10} {command['ms']:9.1f} ms  {'' if right else 'WRONG'} "
                      f"{place(command)}", flush=True)
    settings.out.with_name(settings.out.name + ".json").write_text(json.dumps(content, indent=1) + "\n")
    settings.out.with_name(settings.out.name + ".md").write_text(page(content))
    print(page(content))
    if wrong:
        print("wrong:", "; ".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
