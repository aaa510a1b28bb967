# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A table of two columns, small in bytes, and queries of it that take no time or for ever."""

import pyarrow as pa
import pyarrow.parquet as pq

SUMS = "SELECT k, sum(v) AS s FROM numbers GROUP BY k ORDER BY k"
# Every row with every row of the same key: minutes of work, and one row.
ENDLESS = "SELECT max(a.v + b.v) AS m FROM numbers a JOIN numbers b ON a.k = b.k"
ROWS = 200_000


def write_numbers(path, rows: int = ROWS):
    table = pa.table({"k": pa.array([i % 7 for i in range(rows)], pa.int32()),
                      "v": pa.array([i * 31 % 1009 for i in range(rows)], pa.int64())})
    pq.write_table(table, path)
