# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The program's manners: help, doctor, wrong commands."""

import json

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


@pytest.mark.parametrize("arguments", [(), ("dance",), ("bench",), ("gen", "ssb", "--what")])
def test_wrong_commands_are_refused(program, arguments):
    result = program.run(*arguments)
    assert result.returncode > 100
    assert result.stderr or result.stdout


@pytest.mark.parametrize("arguments, complaint", [
    ((), "--data"),
    (("--sf", 1, "--data", "x"), "--data"),
    (("--sf", 1, "--residency", "file"), "--residency file"),
    (("--sf", 1, "--memory", "much"), "much"),
])
def test_bench_names_what_is_wrong(program, arguments, complaint):
    result = program.run("bench", "ssb", *arguments)
    assert result.returncode == 1
    assert complaint in result.stderr
