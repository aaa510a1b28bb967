# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What nodes could leave behind: processes, sockets, files in shared memory."""

import fcntl
import os
import time
from pathlib import Path

from node_processes import processes_of

PATIENCE_S = 120


class Leftovers:
    """Compares what is there with what was there at the beginning."""

    def __init__(self, program: Path, socket_folder: Path):
        self._program, self._socket_folder = program, socket_folder
        self._before = self._there()

    def now(self) -> set:
        """Processes and files of nodes that were not there at the beginning."""
        return self._there() - self._before

    def check(self, but_for: set):
        """Fails if something stays that is not in 'but_for', once it had the time to go."""
        end = time.monotonic() + PATIENCE_S
        while (left := self.now() - but_for) and time.monotonic() < end:
            time.sleep(0.1)
        assert not left, f"left behind: {left}"

    def _there(self) -> set:
        shared = {path for path in Path("/dev/shm").glob("shadowvm-node-*") if _is_abandoned(path)}
        return processes_of(self._program) | shared | set(self._socket_folder.rglob("*.sock*"))


def _is_abandoned(folder: Path) -> bool:
    """A node holds a lock on its folder while it lives; other nodes than ours may live on this machine."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
