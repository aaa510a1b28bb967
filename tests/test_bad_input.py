# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Bad input gets one clear error that names what is wrong, or a way that works; and nothing is left behind."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import replay, rows_of
from commands import BOOL, INT32, Command, aggregate_call, call, column, like, literal, sort_key
from node_client import wait_until

ROWS = 20_000


@pytest.fixture
def good(tmp_path) -> Path:
    """A file of several pages and a checksum for each."""
    path = tmp_path / "good.parquet"
    table = pa.table({"a": pa.array(range(ROWS), pa.int32()), "s": [f"text {i % 50}" for i in range(ROWS)]})
    pq.write_table(table, path, row_group_size=5000, write_page_checksum=True, compression="none")
    return path


def sum_of(path, name="a") -> Command:
    command = Command()
    command.aggregate(command.scan(path), {}, [aggregate_call("SUM", column(name), "s")])
    return command


def fail(program, folder: Path, command: Command, **environment) -> str:
    """Runs a command that must fail as a command should: code 1, one line, nothing written."""
    folder.mkdir(exist_ok=True)
    file = folder / "command.json"
    file.write_text(command.text())
    before = set(folder.iterdir())
    result = program.run("replay", file, "--out", folder / "answer.arrow", **environment)
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stderr.startswith(f"shadowvm: {file}: ") and re.search(r"SVM-\d{4}", result.stderr), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert set(folder.iterdir()) == before
    return result.stderr


@pytest.fixture
def refused(program, tmp_path):
    return lambda command, **environment: fail(program, tmp_path / "run", command, **environment)


def test_a_missing_file(refused, tmp_path):
    error = refused(sum_of(tmp_path / "none.parquet"))
    assert "SVM-1001" in error and "none.parquet" in error


def test_a_folder_without_data(refused, tmp_path):
    (tmp_path / "empty").mkdir()
    error = refused(sum_of(tmp_path / "empty"))
    assert "SVM-1002" in error and str(tmp_path / "empty") in error


@pytest.mark.parametrize("content", [b"", b"PAR1", b"name,price\n1,2\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_not_parquet(refused, tmp_path, content):
    (tmp_path / "table.parquet").write_bytes(content)
    error = refused(sum_of(tmp_path / "table.parquet"))
    assert ("SVM-1003" in error or "SVM-1004" in error) and "table.parquet" in error


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_file(refused, good, share):
    data = good.read_bytes()
    good.write_bytes(data[:int(len(data) * share)])
    error = refused(sum_of(good))
    assert ("SVM-1003" in error or "SVM-1004" in error) and "good.parquet" in error


def test_flipped_bytes_in_a_page(refused, good):
    data = bytearray(good.read_bytes())
    place = pq.read_metadata(good).row_group(1).column(0).dictionary_page_offset + 500
    for i in range(place, place + 8):
        data[i] ^= 0xFF
    good.write_bytes(data)
    error = refused(sum_of(good))
    assert "SVM-1004" in error and "good.parquet" in error and "a" in error


def test_flipped_bytes_anywhere_never_crash(program, tmp_path, good):
    """Without checksums a wrong answer is possible, a crash or a hang is not."""
    table = pq.read_table(good)
    pq.write_table(table, good, row_group_size=5000, compression="snappy")
    data, commands = good.read_bytes(), {}
    for i in range(40):
        broken = bytearray(data)
        for j in range(4):
            broken[(i * 7919 + j * 104_729) % len(data)] ^= 1 << (i + j) % 8
        (tmp_path / f"broken-{i}.parquet").write_bytes(broken)
        command = Command()
        command.aggregate(command.scan(tmp_path / f"broken-{i}.parquet"), {"s": column("s")},
                          [aggregate_call("SUM", column("a"), "n")])
        commands[f"q{i}"] = command
    answers = replay(program, tmp_path / "run", commands)
    errors = [answer.error for answer in answers.values() if answer.error]
    assert errors and all("SVM-1" in error for error in errors), errors


def test_an_unknown_column(refused, good):
    error = refused(sum_of(good, "price"))
    assert "SVM-2002" in error and "price" in error


def test_a_type_mismatch(refused, good):
    command = Command()
    command.filter(command.scan(good), call("AND", column("a"), literal(True, BOOL)))
    assert "SVM-2003" in refused(command)
    command = Command()
    command.filter(command.scan(good), like(column("a"), "x%"))
    assert "SVM-2003" in refused(command)


def test_files_that_disagree(refused, good, tmp_path):
    pq.write_table(pa.table({"a": ["x"], "s": ["y"]}), tmp_path / "other.parquet")
    command = Command()
    command.aggregate(command.scan(good, tmp_path / "other.parquet"), {}, [aggregate_call("COUNT", column("a"), "n")])
    error = refused(command)
    assert "SVM-1008" in error and "other.parquet" in error and "a" in error


def test_an_unsupported_type_is_named_and_the_rest_can_be_read(program, refused, tmp_path):
    path = tmp_path / "nested.parquet"
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32()), "tags": [["x"], ["y", "z"]]}), path)
    command = Command()
    command.scan(path, columns=["tags"])
    error = refused(command)
    assert "SVM-2004" in error and "tags" in error and "list" in error
    command = Command()
    command.map(command.scan(path), x=call("IS_NULL", column("tags")))
    assert "SVM-2004" in refused(command)
    answer = replay(program, tmp_path / "rest", {"q": sum_of(path)})["q"]
    assert rows_of(answer.table) == [(3,)]


def test_an_unsupported_expression_says_why(refused, good):
    command = Command()
    command.map(command.scan(good), x=call("STARTS_WITH", column("s"), column("s")))
    error = refused(command)
    assert "SVM-2005" in error and "action 2" in error and "pattern" in error


@pytest.mark.parametrize("text, complaint", [
    ('{"protocolVersion": 9, "root": 1}', "SVM-2006"), ('{"protocolVersion": 1, "root": 1}', "SVM-2001"), ("{", "SVM-2001"),
    ('{"protocolVersion": 1, "root": 1, "actions": [{"id": 1, "inputs": [1], "limit": {"count": 1}}]}', "SVM-2001"),
])
def test_a_malformed_command(program, tmp_path, text, complaint):
    (tmp_path / "c.json").write_text(text)
    result = program.run("replay", tmp_path / "c.json")
    assert result.returncode == 1 and complaint in result.stderr and result.stderr.count("\n") == 1


def test_one_bad_command_does_not_stop_the_others(program, good, tmp_path):
    answers = replay(program, tmp_path / "run", {"a": sum_of(good, "price"), "b": sum_of(good)})
    assert "SVM-2002" in answers["a"].error
    assert rows_of(answers["b"].table) == [(ROWS * (ROWS - 1) // 2,)]


@pytest.mark.parametrize("values", [[], [None] * 3000])
def test_tables_without_values(program, tmp_path, values):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(values, pa.int32()), "s": pa.array(values, pa.string())}), path)
    total, groups, ordered, joined, matching = Command(), Command(), Command(), Command(), Command()
    total.aggregate(total.scan(path), {}, [
        aggregate_call(function, column("a"), function) for function in ("SUM", "COUNT", "MIN", "MAX", "AVG")])
    groups.aggregate(groups.scan(path), {"s": column("s")}, [aggregate_call("COUNT_ALL", None, "n")])
    ordered.sort(ordered.scan(path), sort_key(column("s")), sort_key(column("a")))
    joined.join("INNER", joined.scan(path), joined.scan(path), [column("a")], [column("a")])
    matching.filter(matching.scan(path), like(column("s"), "%x"), call("LESS", column("a"), literal(3, INT32)))
    answers = replay(program, tmp_path / "run", {"total": total, "groups": groups, "ordered": ordered, "joined": joined,
                                                 "matching": matching})
    assert rows_of(answers["total"].table) == [(None, 0, None, None, None)]
    assert rows_of(answers["groups"].table) == ([(None, len(values))] if values else [])
    assert answers["ordered"].table.num_rows == len(values)
    assert answers["joined"].table.num_rows == answers["matching"].table.num_rows == 0


def test_a_file_without_columns_asked_for(program, good, tmp_path):
    command = Command()
    command.aggregate(command.scan(good), {}, [aggregate_call("COUNT_ALL", None, "n")])
    assert rows_of(replay(program, tmp_path / "run", {"q": command})["q"].table) == [(ROWS,)]


def test_a_sink_that_cannot_be_written_leaves_nothing(program, good, tmp_path):
    command = Command()
    command.sink(command.scan(good), tmp_path / "none" / "out.parquet")
    error = fail(program, tmp_path / "run", command)
    assert "SVM-1007" in error and "out.parquet" in error
    full = Command()
    full.sink(full.scan(good), tmp_path / "out.parquet")
    (tmp_path / "full.json").write_text(full.text())
    # A limit on file sizes stands for a full disk.
    line = f"ulimit -f 8; trap '' XFSZ; exec '{program.path}' replay '{tmp_path}/full.json'"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False,
                            env=os.environ | {"SHADOWVM_CACHE_DIR": str(tmp_path / "cache")})
    assert result.returncode == 1 and "SVM-1007" in result.stderr, result.stderr
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("out")]


def test_too_little_memory_is_said(program, tables, tmp_path):
    command = Command()
    command.sort(command.scan(tables.big), sort_key(column("text")))
    answer = replay(program, tmp_path / "run", {"q": command}, "--memory", "8M")["q"]
    assert "SVM-4001" in answer.error


def check_works_with_a_warning(program, folder: Path, good: Path, complaint: str, **environment):
    """The right answer, and one line that says why its kernels are not kept."""
    folder.mkdir()
    (folder / "command.json").write_text(sum_of(good).text())
    result = program.run("replay", folder / "command.json", "--out", folder / "answer.arrow", **environment)
    assert result.returncode == 0, result.stderr
    assert rows_of(pa.ipc.open_file(folder / "answer.arrow").read_all()) == [(ROWS * (ROWS - 1) // 2,)]
    assert result.stderr.startswith("shadowvm: ") and "kernels are not kept" in result.stderr, result.stderr
    assert complaint in result.stderr and result.stderr.count("\n") == 1, result.stderr


def test_a_cache_folder_that_cannot_be_used_costs_nothing_but_time(program, good, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    # /proc takes no new folders, not even from root.
    for number, folder in enumerate((tmp_path / "file", tmp_path / "file/below", tmp_path / "open", "/proc/kernels")):
        check_works_with_a_warning(program, tmp_path / f"run{number}", good, str(folder), SHADOWVM_CACHE_DIR=str(folder))


def test_a_read_only_cache_folder_costs_nothing_but_time(program, good, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o555)
    if os.geteuid() == 0:
        folder = Path("/proc/sys")  # root may write anywhere but here
    check_works_with_a_warning(program, tmp_path / "run", good, str(folder), SHADOWVM_CACHE_DIR=str(folder))


@pytest.mark.faults
def test_a_full_cache_folder_costs_nothing_but_time(program, good, tmp_path):
    folder = tmp_path / "cache"
    check_works_with_a_warning(program, tmp_path / "run", good, "SVM-1007", SHADOWVM_CACHE_DIR=str(folder),
                               SHADOWVM_FAULT="cache.write=always:enospc")
    assert not list(folder.iterdir())


@pytest.fixture
def with_compiler(program, tmp_path):
    """The program beside a compile worker that is a script, with a C++ compiler or without one."""
    def make(script: str, folder: str):
        place = tmp_path / folder
        place.mkdir()
        shutil.copy2(program.path, place / "shadowvm")
        (place / "shadowvm-compiler").write_text(f"#!/bin/sh\n{script}\n")
        (place / "shadowvm-compiler").chmod(0o755)
        return type(program)(place / "shadowvm")
    return make


@pytest.mark.parametrize("script", ["exit 1", "kill -SEGV $$", "echo nonsense; exit 0"])
def test_a_broken_compile_worker_is_replaced_by_the_compiler(with_compiler, good, tmp_path, script):
    broken = with_compiler(script, "bin")
    answer = replay(broken, tmp_path / "run", {"q": sum_of(good)}, SHADOWVM_CACHE_DIR=str(tmp_path / "cache"))["q"]
    assert rows_of(answer.table) == [(ROWS * (ROWS - 1) // 2,)]


@pytest.mark.parametrize("compiler, code", [("exit 1", "SVM-300"), ("kill -SEGV $$", "SVM-300"), (None, "SVM-300")])
def test_no_compiler_that_works_is_an_error_that_says_so(with_compiler, good, tmp_path, compiler, code):
    broken = with_compiler("exit 1", "bin")
    path, temporary = tmp_path / "path", tmp_path / "tmp"
    path.mkdir()
    temporary.mkdir()
    for name in ("c++", "g++", "clang++") if compiler else ():
        (path / name).write_text(f"#!/bin/sh\n{compiler}\n")
        (path / name).chmod(0o755)
    error = fail(broken, tmp_path / "run", sum_of(good), PATH=str(path), TMPDIR=str(temporary),
                 SHADOWVM_CACHE_DIR=str(tmp_path / "cache"))
    assert code in error
    assert not list(temporary.iterdir()), "temporary files are left"


@pytest.mark.long
def test_a_hanging_compile_worker_is_given_up(with_compiler, good, tmp_path):
    mark = f"9{os.getpid()}"
    hanging = with_compiler(f"exec sleep {mark}", "bin")
    answer = replay(hanging, tmp_path / "run", {"q": sum_of(good)}, SHADOWVM_CACHE_DIR=str(tmp_path / "cache"))["q"]
    assert rows_of(answer.table) == [(ROWS * (ROWS - 1) // 2,)]
    assert not [pid for pid in processes() if f"sleep\0{mark}" in arguments_of(pid)], "a worker is left"


def processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def arguments_of(pid: int) -> str:
    """Empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_no_worker_outlives_the_program(program, good, tmp_path):
    before = workers_of(program)
    replay(program, tmp_path / "run", {"q": sum_of(good)}, SHADOWVM_CACHE_DIR=str(tmp_path / "cache"))
    wait_until(lambda: workers_of(program) <= before, "its worker ends")


def workers_of(program) -> set[int]:
    return {pid for pid in processes() if executable_of(pid) == program.path.parent.resolve() / "shadowvm-compiler"}


def executable_of(pid: int) -> Path | None:
    """None once it has ended."""
    try:
        return Path(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return None
