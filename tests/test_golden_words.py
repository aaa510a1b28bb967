# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Every word that a text for a GPU may say is in a golden: NVRTC compiles nothing else without a card."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = [path for folder in ("common", "cuda") for path in sorted((ROOT / "engine/kernels" / folder).glob("*.h"))
           if path.name not in ("machine.h", "emulation.h", "builtins.h", "inline.h")]
WORD = re.compile(r"(?:SVM_INLINE|SVM_ONCE|SVM_FUNCTION)\s[\w:<>*& ]*?[\s*&](\w+)\(")
# Two that are made of what text_contains is made of; one of a cast that is refused; names that only look like parts of
# texts.
NOT_SAID = {"text_starts_with", "text_ends_with", "days_of_micros", "exists", "valid_rows"}


def renderer_parts() -> set[str]:
    sources = "".join(path.read_text() for path in sorted((ROOT / "engine/vkernel/render").glob("*.cc")))
    return {part for text in re.findall(r'"((?:[^"\\]|\\.)*)"', sources) for part in re.findall(r"\w+", text)}


def can_be_said(word: str, parts: set[str]) -> bool:
    """The renderer has it whole, in two parts, or how it begins: "year_of_" goes with what a date is held in."""
    return word in parts or any(word[:at] in parts and (word[at:] in parts or word[at - 1] == "_")
                                for at in range(1, len(word)))


def test_every_word_is_in_a_golden():
    goldens = (ROOT / "engine/exec/tests/goldens/cuda").glob("*.golden")
    said = {word for golden in goldens for word in re.findall(r"\w+", golden.read_text())}
    parts = renderer_parts()
    words = {word for header in HEADERS for word in WORD.findall(header.read_text()) if can_be_said(word, parts)}
    assert {"keep_range", "year_of_days", "try_subtract", "keep_not_in_checked", "min_double"} <= words
    assert NOT_SAID <= words, NOT_SAID - words
    assert not words - said - NOT_SAID, sorted(words - said - NOT_SAID)
