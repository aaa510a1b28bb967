# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What ShadowVM must show, one module a bar. Each measures, and says whether the bar is met."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Setup:
    """What every bar is given."""

    program: Path
    sf01: Path
    sf1: Path
    sf10: Path
    spark_data: Path  # what the bars of Spark are measured at
    results: Path
    threads: int
    runs: int


@dataclass
class Outcome:
    """One line of the summary."""

    name: str
    bar: str
    measured: str
    met: bool
