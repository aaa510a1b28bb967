# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The settings of the engines that are compared: Spark as it is, with Comet and with ShadowVM. All have the same
master and the same heap."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JAR = ROOT / "dist/jars/shadowvm-spark-3.5_2.12.jar"
COMET_VERSION = "0.12.0"
_COMET = f"comet-spark-spark3.5_2.12-{COMET_VERSION}.jar"


def plain(threads: int, heap: str = "4g") -> dict:
    """Spark as it comes."""
    return {"spark.master": f"local[{threads}]", "spark.driver.memory": heap, "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false", "spark.log.level": "WARN", "spark.sql.session.timeZone": "UTC"}


def comet(threads: int, heap: str = "4g") -> dict:
    """As Comet's installation page says. What it takes off the heap comes on top of the heap."""
    jar = str(comet_jar())
    return plain(threads, heap) | {
        "spark.plugins": "org.apache.spark.CometPlugin", "spark.jars": jar, "spark.driver.extraClassPath": jar,
        "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        "spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": heap,
    }


def shadowvm(threads: int, heap: str = "4g", jar: Path = JAR) -> dict:
    """The jar and the one line. The program lies beside the jar."""
    if not jar.exists():
        raise FileNotFoundError(f"{jar} is missing: make dist")
    return plain(threads, heap) | {"spark.plugins": "org.shadowvm.ShadowPlugin", "spark.jars": str(jar)}


def comet_jar() -> Path:
    """Fetched from Maven Central once."""
    folder = ROOT / ".cache/jars"
    jar = folder / _COMET
    if not jar.exists():
        artifact = f"org.apache.datafusion:comet-spark-spark3.5_2.12:{COMET_VERSION}"
        subprocess.run(["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"],
                       check=True)
    return jar
