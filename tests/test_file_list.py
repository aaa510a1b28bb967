# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Scans of files that a planner listed, under the schema it decided on: as Spark would read them, or not at all."""

import signal
from decimal import Decimal

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq
import pytest
from answers import check_answer, replay, rows_of
from commands import (BINARY, DATE, DOUBLE, FLOAT, INT32, INT64, STRING, TIMESTAMP, Command, aggregate_call, call, column,
                      decimal, listed, literal, literal_json, sort_key)
from node_client import Node, code_of
from typed_tables import TYPES

PARTS = 8
PART_ROWS = 1000


@pytest.fixture(scope="module")
def node(program, tmp_path_factory):
    started = Node(program, tmp_path_factory.mktemp("node"), "--threads", 2)
    yield started
    assert started.stop() in (0, -signal.SIGKILL)


@pytest.fixture(scope="module")
def client(node):
    return node.client()


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Files of a table that is partitioned by a number, a day and a text; none of them is in the files."""
    folder = tmp_path_factory.mktemp("parts")
    for part in range(PARTS):
        ids = range(part * PART_ROWS, (part + 1) * PART_ROWS)
        table = pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array((i * 31 % 97 for i in ids), pa.int32())})
        pq.write_table(table, folder / f"part-{part}.parquet")
    return folder


def partitioned(command: Command, folder) -> int:
    """The last file has no value in any partition column."""
    def values(part):
        number, day, word = (None, None, None) if part == PARTS - 1 else (part, 9000 + part, f"w{part % 3}")
        return literal_json(number, INT32), literal_json(day, DATE), literal_json(word, STRING)
    files = [listed(folder / f"part-{part}.parquet", *values(part)) for part in range(PARTS)]
    return command.file_list(files, {"id": INT64, "v": INT32}, {"p": INT32, "day": DATE, "w": STRING})


def partitioned_sql(folder) -> str:
    number = f"CASE WHEN id < {(PARTS - 1) * PART_ROWS} THEN (id // {PART_ROWS})::INTEGER END"
    return (f"(SELECT *, {number} AS p, DATE '1970-01-01' + (9000 + {number})::INTEGER AS day, "
            f"'w' || ({number} % 3)::VARCHAR AS w FROM '{folder}/*.parquet')")


def one_file(path, **fields) -> Command:
    command = Command()
    command.file_list([listed(path)], fields)
    return command


def test_every_type(program, tables, duck, tmp_path):
    data = {"id": INT64} | {name + suffix: of for name, of in TYPES.items() for suffix in ("", "_n", "_z")}
    command, part = Command(), Command()
    command.file_list([listed(path) for path in reversed(tables.facts)], data)
    part.file_list([listed(path) for path in tables.facts], {"S_N": STRING, "ID": INT64, "d38": TYPES["d38"]})
    answers = replay(program, tmp_path, {"all": command, "part": part})
    files = [str(path) for path in tables.facts]
    check_answer(answers["all"], duck, f"SELECT {', '.join(data)} FROM read_parquet({files})")
    check_answer(answers["part"], duck, f"SELECT s_n, id, d38 FROM read_parquet({files})")
    assert answers["part"].table.column_names == ["S_N", "ID", "d38"]


def test_partition_values_are_columns(program, parts, duck, tmp_path):
    rows, groups = Command(), Command()
    rows.filter(partitioned(rows, parts), call("GREATER", column("v"), literal(50, INT32)))
    by = {name: column(name) for name in ("p", "day", "w")}
    groups.aggregate(partitioned(groups, parts), by, [aggregate_call("SUM", column("v"), "s")])
    answers = replay(program, tmp_path, {"rows": rows, "groups": groups})
    source = partitioned_sql(parts)
    check_answer(answers["rows"], duck, f"SELECT id, v, p, day, w FROM {source} WHERE v > 50")
    check_answer(answers["groups"], duck, f"SELECT p, day, w, sum(v)::BIGINT FROM {source} GROUP BY ALL")


@pytest.mark.parametrize("condition, passing", [
    (call("EQUAL", column("p"), literal(3, INT32)), 1),
    (call("LESS", column("day"), literal(9002, DATE)), 2),
    (call("AND", call("GREATER", column("p"), literal(1, INT32)), call("LESS", column("p"), literal(4, INT32))), 2),
    (call("EQUAL", column("p"), literal(99, INT32)), 0),
])
def test_files_that_cannot_pass_a_filter_are_not_read(client, parts, condition, passing):
    command = Command()
    kept = command.filter(partitioned(command, parts), condition)
    command.aggregate(kept, {}, [aggregate_call("COUNT_ALL", None, "n")])
    answer, metrics = client.fetch(client.register(command))
    assert answer["n"].to_pylist() == [passing * PART_ROWS]
    assert (metrics.segments_run, metrics.segments_skipped) == (passing, PARTS - passing)


def test_files_that_cannot_meet_a_build_side_are_not_read(client, parts, tmp_path):
    """The dimension runs first; its keys say which files of the fact table are worth opening."""
    pq.write_table(pa.table({"k": pa.array(range(20), pa.int32()), "name": [f"n{i}" for i in range(20)]}),
                   tmp_path / "dim.parquet")
    command = Command()
    dim = command.filter(command.file_list([listed(tmp_path / "dim.parquet")], {"k": INT32, "name": STRING}),
                         call("EQUAL", column("name"), literal("n5", STRING)))
    joined = command.join("INNER", partitioned(command, parts), dim, [column("p")], [column("k")])
    command.aggregate(joined, {}, [aggregate_call("COUNT_ALL", None, "n"), aggregate_call("MIN", column("id"), "low")])
    answer, metrics = client.fetch(client.register(command))
    assert rows_of(answer) == [(PART_ROWS, 5 * PART_ROWS)]
    assert metrics.segments_skipped == PARTS - 1


def test_an_empty_list_has_no_rows(program, tmp_path):
    rows, total = Command(), Command()
    rows.sort(rows.file_list([], {"a": INT32, "s": STRING}, {"p": DATE}), sort_key(column("a")))
    total.aggregate(total.file_list([], {"a": INT32}), {}, [aggregate_call("COUNT_ALL", None, "n"),
                                                            aggregate_call("SUM", column("a"), "s")])
    answers = replay(program, tmp_path, {"rows": rows, "total": total})
    assert answers["rows"].table.num_rows == 0 and answers["rows"].table.column_names == ["a", "s", "p"]
    assert rows_of(answers["total"].table) == [(0, None)]


def test_many_small_files(program, duck, tmp_path):
    files = 200
    for i in range(files):
        pq.write_table(pa.table({"k": pa.array((j % 10 for j in range(1000)), pa.int32()),
                                 "s": [f"text {(i * 7 + j) % 300}" for j in range(1000)]}), tmp_path / f"f{i}.parquet")
    command, absent = Command(), Command()
    paths = [listed(tmp_path / f"f{i}.parquet") for i in range(files)]
    command.aggregate(command.file_list(paths, {"k": INT32, "s": STRING}), {"s": column("s")},
                      [aggregate_call("SUM", column("k"), "n")])
    absent.aggregate(absent.file_list(paths, {"none": STRING}), {"none": column("none")},
                     [aggregate_call("COUNT_ALL", None, "n")])
    answers = replay(program, tmp_path / "run", {"first": command, "again": command, "absent": absent})
    for name in ("first", "again"):
        check_answer(answers[name], duck, f"SELECT s, sum(k)::BIGINT FROM '{tmp_path}/*.parquet' GROUP BY s")
    assert rows_of(answers["absent"].table) == [(None, files * 1000)]


def test_bytes_that_are_no_text_stay_as_they_are(program, tmp_path):
    words = [b"\xff\xfe", b"plain", b"\xc3(", b"", b"\xff\xfe"]
    pq.write_table(pa.table({"s": pa.array(words, pa.binary())}), tmp_path / "t.parquet")
    groups = Command()
    groups.aggregate(groups.file_list([listed(tmp_path / "t.parquet")], {"s": STRING}), {"s": column("s")},
                     [aggregate_call("COUNT_ALL", None, "n")])
    answers = replay(program, tmp_path / "run", {"rows": one_file(tmp_path / "t.parquet", s=STRING), "groups": groups})
    assert answers["rows"].table["s"].cast(pa.binary()).to_pylist() == words
    found = answers["groups"].table
    assert dict(zip(found["s"].cast(pa.binary()).to_pylist(), found["n"].to_pylist(), strict=True)) == {
        b"\xff\xfe": 2, b"plain": 1, b"\xc3(": 1, b"": 1}


@pytest.mark.parametrize("values, wanted, why", [
    (pa.array([1], pa.int32()), INT64, "not read as int64"),
    (pa.array([1], pa.uint64()), INT64, "not read as int64"),
    (pa.array([1.5], pa.float32()), DOUBLE, "not read as double"),
    (pa.array([Decimal("1.50")], pa.decimal128(5, 2)), decimal(5, 1), "not read as decimal(5,1)"),
    (pa.array([[1]], pa.list_(pa.int32())), INT32, "is of type list"),
    (pa.array([0], pa.time64("us")), INT64, "is of type time64"),
    (pa.array([-200_000], pa.date32()), DATE, "before 1582"),
    (pa.array([-3 * 10**15], pa.timestamp("us", "UTC")), TIMESTAMP, "before 1582"),
])
def test_what_spark_may_read_otherwise_is_refused_with_a_reason(client, tmp_path, values, wanted, why):
    pq.write_table(pa.table({"x": values, "y": [1]}), tmp_path / "t.parquet")
    response = client.validate(one_file(tmp_path / "t.parquet", x=wanted))
    refused = response.actions[0]
    assert not response.HasField("error") and not refused.supported
    assert refused.reason == "FILE_COLUMN" and why in refused.text
    assert str(tmp_path / "t.parquet") in refused.text and "column x" in refused.text
    with pytest.raises(flight.FlightError) as error:
        client.register(one_file(tmp_path / "t.parquet", x=wanted))
    assert code_of(error.value) == 2005
    # Only a column that is read matters.
    assert client.validate(one_file(tmp_path / "t.parquet", y=INT64)).actions[0].supported


def test_a_file_of_spark_is_read_by_its_marks(client, tmp_path):
    table = pa.table({"d": pa.array([-200_000], pa.date32())})
    for version, legacy, supported in (("3.5.9", False, True), ("3.5.9", True, False), ("2.4.8", False, False)):
        marks = {"org.apache.spark.version": version} | ({"org.apache.spark.legacyDateTime": ""} if legacy else {})
        pq.write_table(table.replace_schema_metadata(marks), tmp_path / "t.parquet")
        assert client.validate(one_file(tmp_path / "t.parquet", d=DATE)).actions[0].supported == supported


def sum_of(path) -> Command:
    command = Command()
    command.aggregate(command.file_list([listed(path)], {"a": INT32}), {}, [aggregate_call("SUM", column("a"), "s")])
    return command


@pytest.mark.parametrize("change, code", [
    (lambda path: path.unlink(), 1001),
    (lambda path: path.write_bytes(path.read_bytes() + b"x"), 1005),
    (lambda path: pq.write_table(pa.table({"a": pa.array([7], pa.int32())}), path), 1005),
])
def test_a_file_unlike_the_one_planned_is_an_error(client, tmp_path, change, code):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array([1, 2], pa.int32())}), path)
    command = sum_of(path)
    assert rows_of(client.run(command)) == [(3,)]
    change(path)
    with pytest.raises(flight.FlightError) as error:
        client.run(command)
    assert code_of(error.value) == code and str(path) in str(error.value)
    assert client.status().sessions >= 1


def test_a_broken_file_is_an_error_that_names_it(client, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(range(5000), pa.int32())}), path, write_page_checksum=True, compression="none")
    whole = path.read_bytes()
    for broken in (whole[:len(whole) // 2], b"", whole[:200] + b"\xff" * 64 + whole[264:]):
        path.write_bytes(broken)
        with pytest.raises(flight.FlightError) as error:
            client.run(sum_of(path))
        assert code_of(error.value) in (1003, 1004) and str(path) in str(error.value)
    path.write_bytes(whole)
    assert rows_of(client.run(sum_of(path))) == [(sum(range(5000)),)]


def test_malformed_lists_are_refused(client, parts):
    file = listed(parts / "part-0.parquet", literal_json(1, INT64))
    command = Command()
    command.file_list([file], {"id": INT64}, {"p": INT32})
    assert client.validate(command).error.code == 2001
    command = Command()
    command.file_list([file], {"id": INT64}, {})
    assert client.validate(command).error.code == 2001


def test_binary_and_float_partitions(program, parts, tmp_path):
    command = Command()
    files = [listed(parts / "part-0.parquet", literal_json(b"\x00\xff", BINARY), literal_json(0.5, FLOAT),
                    literal_json("12.5", decimal(30, 3)))]
    scan = command.file_list(files, {"id": INT64}, {"b": BINARY, "f": FLOAT, "d": decimal(30, 3)})
    command.limit(scan, 1)
    answer = replay(program, tmp_path, {"q": command})["q"].table
    assert rows_of(answer)[0][1:] == (b"\x00\xff", 0.5, Decimal("12.5"))
