# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What arms a fault point says so: the program as shipped has none, and would pass it by or wait in vain."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def armed_texts() -> dict[str, str]:
    """The text of each, with its decorators."""
    functions = [(path.name, node) for path in TESTS.rglob("test_*.py") if path != Path(__file__).resolve()
                 for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    texts = {f"{file}: {function.name}": ast.unparse(function) for file, function in functions}
    return {name: text for name, text in texts.items() if "SHADOWVM_FAULT" in text}


def test_those_that_arm_fault_points_are_marked():
    texts = armed_texts()
    assert len(texts) > 10
    assert [name for name, text in texts.items() if "pytest.mark.faults" not in text] == []
