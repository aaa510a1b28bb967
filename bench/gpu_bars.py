# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Everything this project promises of a GPU, measured on a machine that has one.

    python3 bench/gpu_bars.py --program dist/bin/shadowvm --sf 20 --out bench/results/gpu-sf20
    python3 bench/gpu_bars.py --program dist/bin/shadowvm --sf 100 --out bench/results/gpu-sf100
    python3 bench/gpu_bars.py --program build/dev/bin/shadowvm --sf 0.01 --coupled-sf 0.01 --check-sf 0.01 \\
        --emulate-gpu --runs 1 --out /tmp/try

Tables are generated once, in memory. Figures are printed as they are made; OUT.json and OUT.md are written after each
part, and a second call with the same OUT and other parts (--only) adds to them. It ends with 1 when a bar is missed or
an answer is wrong.
"""

import argparse
import datetime
import hashlib
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import gpu_parts
from comparison import WrongAnswer
from gpu_page import bars_json, page
from gpu_parts import Bench, Options, OutOfTime, say
from shadow_process import ShadowError

NAMES = [part.__name__ for part in gpu_parts.OVER_TABLES + gpu_parts.APART]
# What is of no use to a larger scale factor than 20, or takes too long there.
SMALLER_ONLY = ("active", "tasks", "node", "coupled", "kernels", "check", "sanitizer")


def default_parts(sf: float) -> list[str]:
    return [name for name in NAMES if sf <= 20 or name not in SMALLER_ONLY]


def identity(program: Path, commit: str) -> dict:
    """What was measured."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    digest = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
    return {"version": version, "sha256": digest, "commit": commit}


def gpu_name(program: Path) -> str:
    """What `shadowvm doctor` says of it."""
    said = subprocess.run([program, "doctor"], capture_output=True, text=True, check=False).stdout
    return next((" ".join(line.split()) for line in said.splitlines() if "gpu " in line), "no GPU")


class Found:
    """What was found so far, in memory and in OUT.json."""

    def __init__(self, settings: argparse.Namespace):
        self._json, self._page = (settings.out.with_name(settings.out.name + end) for end in (".json", ".md"))
        self._bandwidth = settings.bandwidth * 1e9
        before = json.loads(self._json.read_text()) if self._json.exists() else {}
        if before.get("sf") != settings.sf:
            before = {}
        self.failed = False  # a part ended with an error
        self._program = identity(settings.program, settings.commit)
        self.content = {"sf": settings.sf, "check_sf": settings.check_sf,
                        "date": datetime.date.today().isoformat(), "gpu": gpu_name(settings.program),
                        "measured_by": before.get("measured_by", {}),
                        "first_answer_s": before.get("first_answer_s"),
                        "emulated": settings.emulate_gpu, "machine": before.get("machine", {}), "bars": [],
                        "not_measured": {}, "parts": before.get("parts", {})}

    def begin(self, part: str) -> dict:
        """Where a part's figures go; who measured them is noted, for other parts may be of other builds."""
        self.content["measured_by"][part] = self._program
        self.content["parts"][part] = {}
        return self.content["parts"][part]

    def save(self):
        self.content["bars"] = bars_json(self.content, self._bandwidth)
        self._json.write_text(json.dumps(self.content, indent=1) + "\n")
        self._page.write_text(page(self.content, self._bandwidth))


def measure(part, bench: Bench, found: Found):
    """One part; what stops it is said, and is no reason not to go on."""
    name = part.__name__
    start = time.monotonic()
    result = found.begin(name)
    try:
        if start > bench.options.ends:
            raise OutOfTime("not begun")
        part(bench, result)
    except (OutOfTime, ShadowError, WrongAnswer, subprocess.SubprocessError) as error:
        found.content["not_measured"][name] = f"{type(error).__name__}: {error}"
        say(f"{name} stopped: {error}")
        found.failed = found.failed or not isinstance(error, OutOfTime)
        # A process that refused a request is as good as before; one that ended is not there any more.
        if isinstance(error, ShadowError):
            bench.close()
    if result.get("not_run"):
        found.content["not_measured"][name] = result["not_run"]
    say(f"-- {name}: {time.monotonic() - start:.0f} s")
    found.save()


def measure_all(settings: argparse.Namespace, found: Found):
    options = Options(program=settings.program, sf=settings.sf, runs=settings.runs, cap=settings.cap,
                      clients_cap=settings.clients_cap, clients=settings.clients, coupled_sf=settings.coupled_sf,
                      check_sf=settings.check_sf, emulate=settings.emulate_gpu,
                      ends=time.monotonic() + settings.limit)
    bench = Bench(options)
    over_tables = [part for part in gpu_parts.OVER_TABLES if part.__name__ in settings.only]
    if over_tables:
        found.content["machine"] = bench.process().machine()
        found.content["first_answer_s"] = bench.first_answer_s
    for part in over_tables:
        measure(part, bench, found)
    bench.close()
    for part in gpu_parts.APART:
        if part.__name__ in settings.only:
            measure(part, bench, found)


def read_settings() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path, help="OUT.json and OUT.md are written")
    parser.add_argument("--commit", default="", help="that the program was built from")
    parser.add_argument("--sf", type=float, default=20)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="PART", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds after which nothing new is begun")
    parser.add_argument("--cap", default="4GiB", help="of the card's memory, for data larger than it")
    parser.add_argument("--clients-cap", default="8GiB")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--coupled-sf", type=float, default=5)
    parser.add_argument("--check-sf", type=float, default=1)
    parser.add_argument("--bandwidth", type=float, default=4530, help="that the card reads its memory with, GB/s")
    parser.add_argument("--emulate-gpu", action="store_true", help="to try this program; figures mean nothing")
    settings = parser.parse_args()
    settings.program = settings.program.resolve()
    settings.only = settings.only or default_parts(settings.sf)
    return settings


def main() -> int:
    settings = read_settings()
    found = Found(settings)
    measure_all(settings, found)
    bars = found.content["bars"]
    for bar in bars:
        say(f"{'missed' if bar['met'] is False else 'met' if bar['met'] else 'shown':<7} {bar['what']}: "
            f"{bar['measured']} (bar: {bar['bar']})")
    return 1 if found.failed or any(bar["met"] is False for bar in bars) else 0


if __name__ == "__main__":
    sys.exit(main())
