# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""DuckDB over the same tables: native in memory for residency host, straight on the files for residency file."""

import time
from pathlib import Path

import duckdb

from ssb_queries import TABLES


class DuckEngine:
    """One connection. A query's time ends when its whole answer lies in an Arrow table, as ShadowVM's does."""

    def __init__(self, data: Path, threads: int, residency: str = "host"):
        kind = {"host": "TABLE", "file": "VIEW"}[residency]
        self._connection = duckdb.connect()
        self._connection.execute(f"SET threads = {threads}")
        for table in TABLES:
            self._connection.execute(
                f"CREATE {kind} {table} AS SELECT * FROM read_parquet('{data / (table + '.parquet')}')")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def ask(self, sql: str) -> dict:
        """Runs a query: {"ms", "rows"}."""
        start = time.perf_counter()
        table = self._connection.sql(sql).to_arrow_table()
        milliseconds = (time.perf_counter() - start) * 1e3
        return {"ms": milliseconds, "rows": to_rows(table)}


def to_rows(table) -> list[list]:
    """Rows of an Arrow table. DuckDB's sums of integers are decimals without fraction: integers again here."""
    columns = [[int(value) if type(value).__name__ == "Decimal" else value for value in column.to_pylist()]
               for column in table.columns]
    return [list(row) for row in zip(*columns)]
