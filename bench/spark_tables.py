# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Comparisons of Spark engines as text."""

from comparison import geomean
from spark_comparison import PLAIN, SHADOW, SparkTimes, mean_faster
from tables import bar


def terminal_table(results: list[SparkTimes]) -> str:
    """One line a query: each engine's best time, how many times as fast as plain Spark ShadowVM is, and a bar."""
    engines = list(results[0].ms)
    largest = max(times.faster(PLAIN) for times in results)
    lines = [f"{'query':<8}" + "".join(f"{name:>{_width(name)}}" for name in engines)
             + f"{'faster':>9}  (min of {len(results[0].ms[PLAIN])} runs, ms)"]
    for times in results:
        lines.append(f"{times.name:<8}" + "".join(f"{times.best(name):>{_width(name)}.1f}" for name in engines)
                     + f"{times.faster(PLAIN):>8.1f}×  {bar(times.faster(PLAIN), largest)}{_remark(times)}")
    lines.append(f"{'geomean':<8}"
                 + "".join(f"{geomean(t.best(name) for t in results):>{_width(name)}.1f}" for name in engines)
                 + f"{mean_faster(results, PLAIN):>8.1f}×")
    return "\n".join(lines)


def markdown_table(results: list[SparkTimes]) -> str:
    """The same for a page, with the ratio to every engine."""
    engines = list(results[0].ms)
    others = [name for name in engines if name != SHADOW]
    head = ["query", *(f"{name} ms" for name in engines), *(f"× {name}" for name in others), "in the node", "rows"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for times in results:
        cells = [times.name, *(f"{times.best(name):.1f}" for name in engines),
                 *(f"{times.faster(name):.2f}" for name in others), f"{times.accelerated}/{times.operators}",
                 str(times.rows)]
        lines.append("| " + " | ".join(cells) + " |")
    cells = ["**geomean**", *(f"{geomean(t.best(name) for t in results):.1f}" for name in engines),
             *(f"**{mean_faster(results, name):.2f}**" for name in others), "", ""]
    lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fallback_report(results: list[SparkTimes]) -> str:
    """Which queries ran whole in the node, and what stayed in Spark with the reason."""
    whole = [times for times in results if times.whole]
    lines = [f"{len(whole)} of {len(results)} queries ran whole in the node"]
    for times in results:
        if not times.whole:
            lines.append(f"{times.name}: accelerated {times.accelerated} of {times.operators} operators")
            lines += [f"  {line}" for line in times.fallbacks]
    return "\n".join(lines)


def _width(name: str) -> int:
    return max(len(name) + 2, 10)


def _remark(times: SparkTimes) -> str:
    return "  slower" if times.faster(PLAIN) < 1 else ""
