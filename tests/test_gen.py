# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""shadowvm gen ssb: files that other engines read and find right."""

import hashlib
import signal
import subprocess
import time

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ssb_queries import LINEORDER_COLUMNS, QUERIES, TABLES

# What share of lineorder survives each query's conditions, from the specification.
SELECTIVITIES = {
    "q1.1": 1.9e-2, "q1.2": 6.5e-4, "q1.3": 7.5e-5, "q2.1": 8.0e-3, "q2.2": 1.6e-3, "q2.3": 2.0e-4, "q3.1": 3.4e-2,
    "q3.2": 1.4e-3, "q3.3": 5.5e-5, "q3.4": 7.6e-7, "q4.1": 1.6e-2, "q4.2": 4.6e-3, "q4.3": 9.1e-5,
}


@pytest.fixture(scope="module")
def database(ssb):
    connection = duckdb.connect()
    for table in TABLES:
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM '{ssb / (table + '.parquet')}'")
    yield connection
    connection.close()


def digests(folder):
    return {table: hashlib.sha256((folder / f"{table}.parquet").read_bytes()).hexdigest() for table in TABLES}


def test_row_counts(database):
    counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    assert counts.pop("lineorder") == pytest.approx(300_000, rel=0.01)
    assert counts == {"customer": 1_500, "supplier": 100, "part": 10_000, "date": 2_556}


def test_keys_and_measures_are_int32(ssb):
    schema = pq.read_schema(ssb / "lineorder.parquet")
    assert len(schema) == 17
    assert all(schema.field(name).type == pa.int32() for name in LINEORDER_COLUMNS)


def test_no_other_files_are_left(ssb):
    assert {path.name for path in ssb.iterdir()} == {f"{table}.parquet" for table in TABLES}


@pytest.mark.parametrize("dimension, key", [("customer", "custkey"), ("supplier", "suppkey"), ("part", "partkey")])
def test_every_key_is_found(database, dimension, key):
    prefix = dimension[0]
    missing = database.execute(f"SELECT count(*) FROM lineorder ANTI JOIN {dimension} ON lo_{key} = {prefix}_{key}")
    assert missing.fetchone()[0] == 0


# With 100 suppliers in 250 cities, queries about two cities or one nation are a matter of luck at this size.
@pytest.mark.parametrize("query", [name for name in QUERIES if name not in ("q3.2", "q3.3", "q3.4", "q4.3")])
def test_selectivity_is_near_the_specification(database, query):
    sql = QUERIES[query]
    conditions = sql[sql.index("FROM"):].split("GROUP BY")[0]
    rows = database.execute(f"SELECT count(*) {conditions}").fetchone()[0]
    expected = SELECTIVITIES[query] * 300_000
    assert expected / 2.5 - 10 < rows < expected * 2.5 + 10


def test_the_same_seed_gives_the_same_files(program, tmp_path):
    for name, options in {"a": ("--threads", 1), "b": ("--threads", 3), "c": ("--seed", 2)}.items():
        assert program.run("gen", "ssb", "--sf", 0.01, "--out", tmp_path / name, *options).returncode == 0
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert digests(tmp_path / "a")["lineorder"] != digests(tmp_path / "c")["lineorder"]
    assert digests(tmp_path / "a")["date"] == digests(tmp_path / "c")["date"]


@pytest.mark.parametrize("compression, codec", [("none", "UNCOMPRESSED"), ("snappy", "SNAPPY"), ("zstd", "ZSTD")])
def test_compression_and_row_groups(program, tmp_path, compression, codec):
    result = program.run("gen", "ssb", "--sf", 0.01, "--out", tmp_path, "--compression", compression, "--row-group", 5000)
    assert result.returncode == 0, result.stderr
    metadata = pq.read_metadata(tmp_path / "lineorder.parquet")
    assert metadata.row_group(0).num_rows == 5000
    column = metadata.row_group(0).column(5)
    assert column.compression == codec
    assert column.statistics.has_min_max and column.has_column_index


@pytest.mark.parametrize("arguments, complaint", [
    (("--sf", 0, "--out", "x"), "--sf"),
    (("--sf", "many", "--out", "x"), "--sf"),
    (("--sf", 1), "--out"),
    (("--sf", 1, "--out", "x", "--compression", "rar"), "--compression"),
])
def test_wrong_options_are_named(program, arguments, complaint):
    result = program.run("gen", "ssb", *arguments)
    assert result.returncode == 2
    assert complaint in result.stderr


def test_a_folder_that_cannot_be_made_is_named(program, tmp_path):
    (tmp_path / "file").write_text("")
    result = program.run("gen", "ssb", "--sf", 0.01, "--out", tmp_path / "file" / "data")
    assert result.returncode == 1
    assert "SVM-1007" in result.stderr and str(tmp_path / "file") in result.stderr


def test_a_full_disk_leaves_no_file(program, tmp_path):
    # A limit on file sizes stands for a full disk: lineorder does not fit, the tables before it do.
    command = f"ulimit -f 200; trap '' XFSZ; exec '{program.path}' gen ssb --sf 0.05 --compression snappy --out '{tmp_path}'"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "lineorder.parquet" in result.stderr
    assert "lineorder" not in " ".join(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_generator_leaves_nothing_half_written(program, tmp_path, signal_number):
    line = [program.path, "gen", "ssb", "--sf", "20", "--row-group", "65536", "--out", tmp_path]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list(tmp_path.glob("lineorder.parquet.tmp-*")):
            time.sleep(0.05)
        process.send_signal(signal_number)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal_number, errors
    assert not errors
    assert all(path.name.endswith(".parquet") for path in tmp_path.iterdir())
    assert not (tmp_path / "lineorder.parquet").exists()
