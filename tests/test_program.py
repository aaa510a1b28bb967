# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The program's manners: help, doctor, wrong commands."""

import json
import re
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", [(), ("gen", "ssb"), ("bench", "ssb")])
def test_help_shows_examples(program, command):
    result = program.run(*command, "--help")
    assert result.returncode == 0
    assert "shadowvm gen ssb --sf" in result.stdout or "shadowvm bench ssb --data" in result.stdout


def test_doctor_tells_what_there_is(program, tmp_path):
    cache = tmp_path / "cache"
    result = program.run("doctor", "--json", SHADOWVM_CACHE_DIR=str(cache))
    findings = json.loads(result.stdout)
    assert findings["cores"]["state"] == "ok"
    assert findings["gpu"]["text"]
    assert str(cache) in findings["kernel cache"]["text"]
    assert not cache.exists(), "doctor touches nothing"


def test_doctor_misses_a_compiler(program):
    findings = json.loads(program.run("doctor", "--json", PATH="/nowhere").stdout)
    assert findings["c++ compiler"]["state"] == "none"


def refused(program, *arguments) -> str:
    """A wrong command line: code 2, one line that says where to read on."""
    result = program.run(*arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    assert not result.stdout and result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("shadowvm: ") and "--help" in result.stderr and "SVM-" not in result.stderr
    return result.stderr


@pytest.mark.parametrize("arguments, complaint", [
    ((), "subcommand"),
    (("dance",), "dance"),
    (("bench",), "shadowvm bench --help"),
    (("gen", "ssb", "--what"), "--what"),
    (("gen", "ssb", "--sf", "-1", "--out", "x"), "--sf: -1 is not a number from"),
    (("gen", "ssb", "--sf", "abc", "--out", "x"), "--sf: 'abc' is not a number from"),
    (("gen", "ssb", "--sf", "1"), "--out"),
    (("replay",), "files"),
    (("replay", "c.json", "--memory", "much"), "much"),
    (("replay", "c.json", "--memory", "0"), "--memory: '0' leaves nothing"),
    (("node", "--gpu-memory", "0"), "--gpu-memory: '0' leaves nothing"),
    (("node", "--gpu-limit", "nan"), "--gpu-limit: nan is not a number from"),
])
def test_wrong_commands_are_refused(program, arguments, complaint):
    assert complaint in refused(program, *arguments)


@pytest.mark.parametrize("arguments, complaint", [
    ((), "--data"),
    (("--sf", 1, "--data", "x"), "--data"),
    (("--sf", 1, "--mode", "gpu", "--coupled", "--residency", "file"), "--residency file goes without --coupled"),
    (("--sf", 1, "--mode", "mixed", "--residency", "file"), "--residency file goes with --mode cpu or gpu"),
    (("--data", "x", "--mode", "auto", "--residency", "file"), "give --residency host, or another mode"),
    (("--sf", 1, "--memory", "much"), "much"),
    (("--sf", 1, "--query", "q9.9"), "q9.9"),
    (("--sf", 1, "--mode", "both"), "both"),
    (("--sf", 1, "--mode", "mixed", "--policy", "fair"), "fair"),
    (("--sf", 1, "--mode", "mixed", "--policy", "static:200"), "static:200"),
    (("--sf", 1, "--policy", "guided"), "--mode"),
    (("--sf", 1, "--mode", "mixed", "--policy", "guided", "--node"), "--policy"),
    (("--sf", "abc"), "--sf: 'abc' is not a number from"),
    (("--sf", 1, "--mode", "gpu", "--coupled", "--node"), "give either --coupled or --node"),
    (("--sf", 1, "--mode", "cpu", "--gpu-tasks", 2), "--gpu-tasks goes with --mode gpu, mixed or auto"),
    (("--data", "x", "--connect", "y", "--mode", "gpu", "--gpu-memory", "1G"), "--gpu-memory goes without --connect"),
])
def test_bench_names_what_is_wrong(program, arguments, complaint):
    assert complaint in refused(program, "bench", "ssb", *arguments)


@pytest.mark.parametrize("arguments, complaint", [
    (("--mode", "both"), "both"),
    (("--residency", "shelf"), "shelf"),
    (("--residency", "device"), "--residency device goes with --mode"),
    (("--mode", "gpu", "--residency", "host", "--prefetch", "active3"), "active3"),
    (("--mode", "gpu", "--prefetch", "active2"), "--prefetch goes with --residency host or file"),
    (("--mode", "gpu", "--residency", "device", "--prefetch", "active2"), "--prefetch goes with --residency"),
    (("--mode", "mixed", "--prefetch", "active2"), "--prefetch active goes with --mode gpu"),
    (("--mode", "auto", "--residency", "host", "--prefetch", "active4"), "--prefetch active goes with --mode gpu"),
    (("--mode", "cpu", "--residency", "host", "--prefetch", "active2"), "--prefetch goes with --mode gpu"),
    (("--residency", "host", "--prefetch", "passive"), "--mode"),
    (("--mode", "gpu", "--gpu-memory", "much"), "much"),
    (("--gpu-memory", "4G"), "--mode"),
    (("--mode", "cpu", "--gpu-memory", "4G"), "--gpu-memory goes with --mode gpu, mixed or auto"),
    (("--mode", "gpu", "--gpu-memory", "0"), "--gpu-memory: '0' leaves nothing"),
    (("--gpu-tasks", 2), "--gpu-tasks goes with --mode gpu, mixed or auto"),
    (("--mode", "gpu", "--gpu-tasks", 0), "--gpu-tasks"),
    (("--mode", "mixed", "--residency", "file"), "--residency file goes with --mode cpu or gpu"),
    (("--mode", "cpu", "--gpu-limit", "5"), "--gpu-limit goes with --mode gpu, mixed or auto"),
    (("--emulate-gpu",), "--emulate-gpu goes with --mode"),
    (("--policy", "guided"), "--mode"),
    (("--mode", "cpu", "--policy", "guided"), "--policy goes with --mode mixed or auto"),
    (("--mode", "gpu", "--policy", "elastic"), "--policy goes with --mode mixed or auto"),
    (("--mode", "mixed", "--policy", "fair"), "fair"),
    (("--trace", "t.svg"), "--trace goes with --mode"),
    (("--mode", "gpu", "--trace", "t.svg"), "--trace goes with --mode"),
    (("--runs", "0"), "--runs"),
    (("--runs", "often"), "often"),
    (("--partitions", "0"), "--partitions"),
])
def test_replay_names_what_is_wrong(program, arguments, complaint):
    assert complaint in refused(program, "replay", "c.json", *arguments)


def test_a_node_that_is_not_there_is_said_to_be_missing(program, tmp_path):
    result = program.run("bench", "ssb", "--data", tmp_path, "--connect", tmp_path / "nobody.sock")
    assert result.returncode == 1 and "SVM-5004" in result.stderr and "nobody.sock: no such socket" in result.stderr
    assert "stopping" not in result.stderr and result.stderr.count("\n") == 1, result.stderr


def test_the_page_of_a_node_has_all_its_options(program):
    page = (Path(__file__).resolve().parent.parent / "docs/node.md").read_text()
    named = set(re.findall(r"^ +(--[a-z-]+)", program.run("node", "--help").stdout, re.MULTILINE)) - {"--help"}
    assert "--gpu-limit" in named
    assert named == set(re.findall(r"^\| `(--[a-z-]+)", page, re.MULTILINE))


def test_a_report_that_cannot_be_written_is_said_before_the_work(program, tmp_path):
    report = tmp_path / "none" / "report.json"
    # Answering would take a day: what is refused has not begun.
    result = program.run("bench", "ssb", "--sf", 0.01, "--runs", 100_000, "--json", report, timeout=60)
    assert result.returncode == 1 and "SVM-1007" in result.stderr and str(report) in result.stderr
    (tmp_path / "c.json").write_text("{")
    result = program.run("replay", tmp_path / "c.json", "--json", tmp_path)
    assert result.returncode == 1 and "SVM-1007" in result.stderr and str(tmp_path) in result.stderr
