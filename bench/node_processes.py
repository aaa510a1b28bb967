# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Finds nodes among the running processes, and asks them whether they are there."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as flight


def processes_of(program: Path, below: int | None = None) -> set[int]:
    """Running processes of a program; only those that descend from the process 'below', if given."""
    pids = {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    return {pid for pid in pids if _runs(pid, program) and (below is None or below in _ancestors(pid))}


def nodes_of(program: Path, below: int | None = None) -> set[int]:
    """Its nodes: `shadowvm node …`."""
    return {pid for pid in processes_of(program, below) if _arguments(pid)[1:2] == ["node"]}


def socket_of(node: int) -> Path | None:
    """Where it listens; None when it has just ended."""
    arguments = _arguments(node)
    return Path(arguments[arguments.index("--socket") + 1]) if "--socket" in arguments else None


def answers(node: int) -> bool:
    """Whether it says how it is."""
    socket = socket_of(node)
    try:
        with flight.connect(f"grpc+unix://{socket}") as connection:
            return bool(list(connection.do_action(flight.Action("status", b""), flight.FlightCallOptions(timeout=1))))
    except (pa.ArrowException, OSError):
        return False


def _runs(pid: int, program: Path) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/exe") == str(program.resolve())
    except OSError:
        return False  # another user's, or gone


def _arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")
    except OSError:
        return []


def _ancestors(pid: int) -> list[int]:
    line = []
    while pid > 1:
        try:
            # The name, in parentheses, may hold anything; what follows has the parent as its second word.
            pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        except OSError:
            break
        line.append(pid)
    return line
