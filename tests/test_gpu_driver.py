# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Drivers that are too old, do not start or see no card: said with a reason, and queries run on the CPU."""

import re
import signal
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import rows_of
from commands import Command, aggregate_call, column
from node_client import PATIENCE_S, Node, answer_of, wait_until

ROOT = Path(__file__).resolve().parent.parent
GPU = 2  # v1::Mode


def functions() -> list[str]:
    """All that the program looks for in a driver."""
    return re.findall(r'"(cu\w+)"', (ROOT / "engine/device/cuda/driver_api.h").read_text())


def old() -> str:
    return "int cuInit(unsigned flags) { return 0; }"


def broken() -> str:
    return "\n".join(f"int {name}() {{ return 999; }}" for name in functions())


def without_a_card() -> str:
    own = {"cuInit": "int cuInit(unsigned flags) { return 0; }",
           "cuDeviceGetCount": "int cuDeviceGetCount(int* count) { *count = 0; return 0; }"}
    return "\n".join(own.get(name, f"int {name}() {{ return 999; }}") for name in functions())


DRIVERS = [(old, "too old"), (broken, "does not start"), (without_a_card, "sees no card")]


def install(text: str, folder: Path):
    """A driver, whole from one moment to the next."""
    (folder / "driver.c").write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", folder / "driver.so", folder / "driver.c"], check=True)
    (folder / "driver.so").rename(folder / "libcuda.so.1")


@pytest.fixture(params=DRIVERS, ids=[driver.__name__ for driver, _ in DRIVERS])
def driver(request, tmp_path):
    """The folder of a driver, and what is to be said of it."""
    text, reason = request.param
    install(text(), tmp_path)
    return {"LD_LIBRARY_PATH": str(tmp_path)}, reason


def test_the_driver_is_made_of_what_the_program_looks_for():
    assert {"cuInit", "cuDeviceGetCount", "cuGetErrorString"} <= set(functions())


def test_doctor_says_what_is_wrong(program, driver):
    environment, reason = driver
    done = program.run("doctor", **environment)
    assert reason in done.stdout and "queries run on the CPU" in done.stdout, done.stdout


def test_a_node_says_it_once_and_answers(program, driver, tmp_path):
    environment, reason = driver
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"v": pa.array(range(1000), pa.int32())}), path)
    node = Node(program, tmp_path, "--threads", 2, "--gpu-retry", 0.05, **environment)
    client = node.client()
    assert reason in client.hello.no_gpu
    command = Command()
    command.aggregate(command.scan(path), {}, [aggregate_call("SUM", column("v"), "s")])
    for _ in range(3):
        assert rows_of(answer_of(client.execute(command, mode=GPU))) == [(499_500,)]
    assert reason in client.status().devices[0].down
    node.process.send_signal(signal.SIGTERM)
    said = node.process.communicate(timeout=PATIENCE_S)[1]
    assert said.count("the GPU is not used") == 1 and reason in said, said


def test_a_driver_that_comes_later_is_found(program, tmp_path):
    node = Node(program, tmp_path, "--threads", 2, "--gpu-retry", 0.05, LD_LIBRARY_PATH=str(tmp_path))
    assert "no NVIDIA driver" in node.client().hello.no_gpu
    install(without_a_card(), tmp_path)
    wait_until(lambda: "sees no card" in node.client().hello.no_gpu, "it is looked for again")
    assert node.stop() == 0


def test_a_required_gpu_ends_the_node(program, driver, tmp_path):
    environment, reason = driver
    done = program.run("node", "--socket", tmp_path / "run" / "node.sock", "--gpu", "cuda", **environment)
    assert done.returncode == 1 and reason in done.stderr, done.stderr
