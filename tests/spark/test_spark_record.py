# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A query leaves Spark as a file: `shadowvm replay` gives its rows without Spark."""

import pyarrow as pa
from ssb_queries import QUERIES


def test_a_recorded_query_gives_the_same_rows(on_off, ssb_views, program, tmp_path):
    with on_off.settings(record_dir=str(tmp_path / "recorded")):
        rows = on_off.session.sql(QUERIES["q2.1"]).collect()
        on_off.session.sql(QUERIES["q2.1"]).collect()
    (command,) = (tmp_path / "recorded").iterdir()
    result = program.run("replay", command, "--out", tmp_path / "answer.arrow")
    assert result.returncode == 0, result.stderr
    answer = pa.ipc.open_file(tmp_path / "answer.arrow").read_all()
    assert list(zip(*(column.to_pylist() for column in answer.columns))) == [tuple(row) for row in rows]


def test_a_folder_that_cannot_be_written_costs_no_query(on_off, ssb_views, tmp_path):
    (tmp_path / "file").touch()
    with on_off.settings(record_dir=str(tmp_path / "file")):
        assert on_off.check(QUERIES["q1.1"]).whole
