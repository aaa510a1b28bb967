# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The texts of the benchmarks' queries, which the plugin's own tests read as well: bench/sql/BENCHMARK/QUERY.sql."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "sql"


def read_queries(benchmark: str) -> dict[str, str]:
    """Query -> SQL, in the specification's order."""
    files = sorted((_FOLDER / benchmark).glob("*.sql"), key=lambda file: float(file.stem.removeprefix("q")))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}
