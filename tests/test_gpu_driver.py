# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Drivers that are too old, do not start or see no card: said with a reason, and queries run on the CPU."""

import json
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


def with_card(major: int, slot: str | None = "FFFF:FE:1F.7") -> str:
    """Of what a driver tells of a card; whatever would use it fails. Attributes are those of driver_api.h."""
    attributes = {1: 1024, 16: 40, 75: major, 76: 5, 97: 65536}
    cases = " ".join(f"case {number}: *value = {value}; return 0;" for number, value in attributes.items())
    told = "return 1;" if slot is None else f'strncpy(id, "{slot}", size); return 0;'
    own = {"cuInit": "(unsigned flags) { return 0; }",
           "cuDriverGetVersion": "(int* version) { *version = 12040; return 0; }",
           "cuGetErrorString": "(int result, const char** words) { *words = \"out of order\"; return 0; }",
           "cuDeviceGetCount": "(int* count) { *count = 1; return 0; }",
           "cuDeviceGet": "(int* device, int number) { *device = number; return 0; }",
           "cuDeviceGetName": '(char* name, int size, int device) { strncpy(name, "A Card", size); return 0; }',
           "cuDeviceGetAttribute":
               f"(int* value, int attribute, int device) {{ switch (attribute) {{ {cases} }} return 1; }}",
           "cuDeviceTotalMem_v2": "(size_t* bytes, int device) { *bytes = 16000000000; return 0; }",
           "cuDeviceGetPCIBusId": f"(char* id, int size, int device) {{ {told} }}"}
    defined = (f"int {name}{own.get(name, '() { return 999; }')}" for name in functions())
    return "\n".join(["#include <string.h>", *defined])


def too_old_a_card() -> str:
    return with_card(major=7)


DRIVERS = [(old, "too old"), (broken, "does not start"), (without_a_card, "sees no card"),
           (too_old_a_card, "A Card is sm_75; kernels need sm_80 or later")]


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


@pytest.mark.parametrize("slot, link", [("FFFF:FE:1F.7", "link unknown (slot ffff:fe:1f.7)"), (None, "link unknown")])
def test_doctor_shows_a_card_with_its_link_and_driver(program, tmp_path, slot, link):
    install(with_card(major=8, slot=slot), tmp_path)
    findings = json.loads(program.run("doctor", "--json", LD_LIBRARY_PATH=str(tmp_path)).stdout)
    assert findings["gpu"]["state"] == "ok"
    assert findings["gpu"]["text"] == f"A Card (sm_85), 15 GiB, 40 processors, {link}, driver for CUDA 12.4"


def test_a_card_that_does_not_open_is_told_of_in_its_drivers_words(program, tmp_path):
    install(with_card(major=8), tmp_path)
    done = program.run("node", "--socket", tmp_path / "run" / "node.sock", "--gpu", "cuda",
                       LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 1 and "cuDevicePrimaryCtxRetain: out of order" in done.stderr, done.stderr


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
