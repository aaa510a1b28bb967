# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A Spark application in a JVM of its own, with the plugin's jar as it is shipped."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
POM = ROOT / "spark/pom.xml"
PATIENCE_S = 240
VERSIONS = ["3.5", "4.1"]


def _opens() -> list[str]:
    """What Spark needs opened of Java, from the one list there is."""
    return re.search(r"<spark.jvm.opens>(.*?)</spark.jvm.opens>", POM.read_text(), re.DOTALL)[1].split()


class SparkProgram:
    """`tests/spark/JarSmoke.java` under one version of Spark."""

    def __init__(self, version: str, folder: Path, **settings):
        target = ROOT / "spark/target" / version
        (self.jar,) = target.glob(f"shadowvm-spark-{version}_*.jar")
        class_path = f"{self.jar}:{(target / 'spark.classpath').read_text().strip()}"
        command = ["java", "-Xmx1g", *_opens(), "-cp", class_path, ROOT / "tests/spark/JarSmoke.java",
                   *(f"spark.{key}={value}" for key, value in settings.items())]
        self.log = folder / "spark.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=log, text=True)

    def wait_until_ready(self) -> "SparkProgram":
        line = self.process.stdout.readline()
        assert line == "ready\n", line + self.log.read_text()
        return self

    def sql(self, query: str) -> str:
        self.process.stdin.write(query.replace("\n", " ") + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def node_pid(self) -> int | None:
        """The process of the node that the plugin has started."""
        children = subprocess.run(["pgrep", "-f", "-P", str(self.process.pid), "shadowvm node"], capture_output=True,
                                  text=True, check=False).stdout.split()
        return int(children[0]) if children else None

    def end(self) -> int:
        """As a program ends that has nothing more to do."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
