# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Results as text: a table with bars for the terminal, the same in Markdown, and JSON."""

import json
import sys
from pathlib import Path

from comparison import QueryTimes, geomean

_EIGHTHS = " ▏▎▍▌▋▊▉"
_BAR_WIDTH = 30


FLOOR_NOTE = ("floor: the time to read all of the query's columns once at the machine's bandwidth, over the time taken. "
              "Above 100 %: rows were\ndropped before all columns were read, or columns lay in a cache.")


def bar(value: float, largest: float, width: int = _BAR_WIDTH) -> str:
    """A bar as long as value is large, in eighths of a character."""
    eighths = round(value / largest * width * 8) if largest > 0 else 0
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def floor_fraction(times: QueryTimes, bytes_per_second: float) -> float:
    """The time to read the query's columns once, over the time taken: FLOOR_NOTE."""
    return times.bytes / bytes_per_second / (min(times.shadowvm) / 1e3)


def terminal_table(results: list[QueryTimes], bytes_per_second: float) -> str:
    """One line a query: both times, how many times faster, and a bar. A loss is marked."""
    largest = max(times.ratio for times in results)
    lines = [f"{'query':<8}{'ShadowVM':>10}{'DuckDB':>10}{'faster':>9}{'floor':>7}  (min of "
             f"{len(results[0].shadowvm)} runs, ms)"]
    for times in results:
        lines.append(f"{times.name:<8}{min(times.shadowvm):>10.2f}{min(times.duckdb):>10.2f}{times.ratio:>8.2f}×"
                     f"{floor_fraction(times, bytes_per_second):>7.0%}  {bar(times.ratio, largest)}"
                     f"{'  slower' if times.ratio < 1 else ''}")
    total = geomean(times.ratio for times in results)
    lines.append(f"{'geomean':<8}{geomean(min(t.shadowvm) for t in results):>10.2f}"
                 f"{geomean(min(t.duckdb) for t in results):>10.2f}{total:>8.2f}×")
    lines.append(FLOOR_NOTE)
    return "\n".join(lines)


def markdown_table(results: list[QueryTimes], bytes_per_second: float) -> str:
    """The same for a page."""
    lines = ["| query | ShadowVM ms | DuckDB ms | faster | of the bandwidth floor | rows |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for times in results:
        lines.append(f"| {times.name} | {min(times.shadowvm):.2f} | {min(times.duckdb):.2f} | {times.ratio:.2f}× | "
                     f"{floor_fraction(times, bytes_per_second):.0%} | {times.rows} |")
    lines.append(f"| **geomean** | {geomean(min(t.shadowvm) for t in results):.2f} | "
                 f"{geomean(min(t.duckdb) for t in results):.2f} | "
                 f"**{geomean(t.ratio for t in results):.2f}×** | | |")
    lines += ["", FLOOR_NOTE.replace("\n", " ")]
    return "\n".join(lines)


def machine_sentence(machine: dict) -> str:
    """The machine in a sentence."""
    bandwidth = machine["read_bytes_per_second"]
    return (f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB, "
            f"{' '.join(machine['simd'])}, {machine['kernel']}; reads {bandwidth['one_thread'] / 1e9:.1f} GB/s with "
            f"one thread, {bandwidth['all'] / 1e9:.1f} GB/s with all")


def show_progress(label: str):
    """A progress callback that draws a bar when standard output is a terminal."""
    def draw(done: int, total: int):
        if sys.stdout.isatty():
            print(f"\r{label:<24} {bar(done, total):<{_BAR_WIDTH}} {done}/{total}\033[K",
                  end="" if done < total else "\r\033[K", flush=True)
    return draw


def save(path: Path, content: dict):
    """Writes JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")
