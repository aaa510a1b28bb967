# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Tables in the shape of TPC-H's, made by tpchgen-cli (a Python package of dev/requirements.txt)."""

import os
import subprocess
import sys
from pathlib import Path


def ensure_tpch(folder: Path, scale: str) -> Path:
    """The folder with the eight Parquet files of this scale factor, generated once."""
    data = folder / f"tpch-sf{scale}"
    if not (data / "lineitem.parquet").exists():
        fresh = folder / f".tpch-sf{scale}-{os.getpid()}"
        program = Path(sys.executable).parent / "tpchgen-cli"
        subprocess.run([program, "parquet", "-s", scale, "--output-dir", fresh], check=True)
        fresh.rename(data)
    return data
