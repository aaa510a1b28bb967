# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What gpu_bars.py found, held against the bars, and as a page."""

from dataclasses import asdict, dataclass
from statistics import median

from comparison import geomean
from gpu_parts import BARRED
from ssb_queries import QUERIES

# Kernels written by hand in the same design on another card of the same kind, scale factor 20, build sides included.
BY_HAND_MS = dict(zip(QUERIES, (.175, .087, .067, .211, .155, .127, .270, .168, .133, .097, .282, .226, .168)))
# Scale factors that bars are of; at others figures are shown.
SF20, SF100 = 20, 100
DEFAULT_POLICY = "guided"  # of mode mixed


@dataclass
class Bar:
    """One promise: what was measured, and whether it is kept; None: it does not say."""

    what: str
    bar: str
    measured: str
    met: bool | None

    def line(self) -> str:
        return f"| {self.what} | {self.bar} | {self.measured} | {word(self.met)} |"


def word(met: bool | None) -> str:
    return {True: "yes", False: "no", None: "–"}[met]


def of(reports: dict, key: str) -> list[float]:
    return [report[key] for report in reports.values()]


def complete(reports: dict | None) -> bool:
    """All queries are there."""
    return reports is not None and all(name in reports for name in QUERIES)


def scan_ms(report: dict) -> float:
    """The kernel over lineorder, which takes longest."""
    return max((kernel["ms"] for kernel in report["gpu_kernels"]), default=report["gpu_kernel_min_ms"])


# --- bars, each from the parts it needs ---

def kernels_resident(sf: float, parts: dict) -> list[Bar]:
    built = parts.get("resident", {}).get("built")
    if not complete(built):
        return []
    idle = [name for name, report in built.items() if report["gpu_kernel_min_ms"] <= 0]
    if idle:
        return [Bar("kernels in the card's memory", "all queries", f"none ran for {', '.join(idle)}", False)]
    mean = geomean(of(built, "gpu_kernel_min_ms"))
    most = {SF20: 0.22, SF100: 1.1}.get(sf)
    on_card = min(len(report["gpu_kernels"]) for report in built.values()) > 1
    note = "" if on_card else " (of some queries the build sides ran on the CPU and are not in it)"
    bars = [Bar("kernels in the card's memory, build sides included", f"geomean ≤ {most} ms" if most else "–",
                f"{mean:.3f} ms{note}", mean <= most if most else None)]
    if sf == SF20:
        times = {name: report["gpu_kernel_min_ms"] / BY_HAND_MS[name] for name, report in built.items()}
        worst = max(times, key=times.get)
        bars.append(Bar("the same, no query far from by hand", "≤ 2×", f"{times[worst]:.2f}× ({worst})",
                        times[worst] <= 2))
    return bars


def floor(sf: float, parts: dict, bandwidth: float) -> list[Bar]:
    fractions = floor_fractions(parts, bandwidth)
    if len(fractions) < len(QUERIES):
        return []
    worst = min(fractions, key=fractions.get)
    return [Bar("floor of 32-byte sectors over the scan's kernel, every query", "≥ 0.5" if sf == SF20 else "–",
                f"{fractions[worst]:.2f} ({worst}) to {max(fractions.values()):.2f}",
                fractions[worst] >= 0.5 if sf == SF20 else None)]


def floor_fractions(parts: dict, bandwidth: float) -> dict:
    """The time to read all sectors with a row alive at that bandwidth, over the kernel's time."""
    counted, kept = parts.get("sectors", {}), parts.get("resident", {}).get("kept", {})
    return {name: counted[name]["touched_bytes"] / bandwidth * 1e3 / scan_ms(kept[name])
            for name in QUERIES if name in counted and name in kept and scan_ms(kept[name]) > 0}


def overhead(sf: float, parts: dict) -> list[Bar]:
    kept = parts.get("resident", {}).get("kept")
    if not complete(kept):
        return []
    worst = max(kept, key=lambda name: kept[name]["overhead_us"])
    most = kept[worst]["overhead_us"]
    return [Bar("engine beside the kernels, all cached", "≤ 60 µs" if sf == SF20 else "–",
                f"{min(of(kept, 'overhead_us')):.0f} to {most:.0f} µs ({worst})", most <= 60 if sf == SF20 else None)]


def over_socket(sf: float, parts: dict) -> list[Bar]:
    if not complete(parts.get("node")):
        return []
    mean = geomean(of(parts["node"], "min_ms"))
    return [Bar("submit to result over the node's socket", "geomean ≤ 1 ms" if sf == SF20 else "–", f"{mean:.3f} ms",
                mean <= 1 if sf == SF20 else None)]


def in_place(sf: float, parts: dict) -> list[Bar]:
    own = parts.get("passive")
    if not complete(own):
        return []
    mean = geomean(of(own, "min_ms"))
    bars = [Bar("host-resident, in place", "geomean ≤ 12 ms" if sf == SF20 else "–", f"{mean:.2f} ms",
                mean <= 12 if sf == SF20 else None)]
    copies = {way: reports for way, reports in parts.get("active", {}).items() if complete(reports)}
    for way, reports in copies.items():
        slower = [name for name in QUERIES if own[name]["min_ms"] >= reports[name]["min_ms"]]
        bars.append(Bar(f"in place against {way}", "faster on every query",
                        f"{geomean(of(reports, 'min_ms')):.2f} ms; " +
                        (f"not faster: {', '.join(slower)}" if slower else "faster on all"), not slower))
    return bars + link_bytes(parts, copies)


def link_bytes(parts: dict, copies: dict) -> list[Bar]:
    if not copies or not complete(parts.get("sectors")):
        return []
    copied = next(iter(copies.values()))
    shares = []
    for name in QUERIES:
        # The estimate spreads survivors evenly, the count has an order of its own: the larger one is told.
        read = max(parts["passive"][name]["link_bytes"], parts["sectors"][name]["touched_bytes"])
        if copied[name]["link_bytes"] > 0:
            shares.append(read / copied[name]["link_bytes"])
    mean = geomean(shares)
    return [Bar("bytes over the link, in place against copied", "≥ 50 % fewer, geomean", f"{1 - mean:.0%} fewer",
                mean <= 0.5)]


def both(_: float, parts: dict) -> list[Bar]:
    bars = []
    found = parts.get("modes", {})
    for name in BARRED:
        if not all(name in found.get(way, {}) for way in ("cpu", "gpu", DEFAULT_POLICY)):
            continue
        cpu, gpu, mixed = (found[way][name]["min_ms"] for way in ("cpu", "gpu", DEFAULT_POLICY))
        times, share = min(cpu, gpu) / mixed, (1 / mixed) / (1 / cpu + 1 / gpu)
        bars.append(Bar(f"cores and card, {name}", "≥ 1.5× the better, ≥ 85 % of the sum",
                        f"{times:.2f}×, {share:.0%}; cores {cpu:.2f}, card {gpu:.2f}, both {mixed:.2f} ms",
                        times >= 1.5 and share >= 0.85))
    return bars


def policies(_: float, parts: dict) -> list[Bar]:
    bars = []
    for name, ways in parts.get("sweep", {}).items():
        static = {way: report["median_ms"] for way, report in ways.items() if way.startswith("static")}
        if len(static) < 19:
            continue
        best = min(static, key=static.get)
        for policy in ("elastic", "guided"):
            slower = ways[policy]["median_ms"] / static[best] - 1
            again = ways[policy]["partitions_again_of_all_runs"] / max(ways[policy]["partitions_of_all_runs"], 1)
            bars.append(Bar(f"{policy} against the best static split, {name}", "≤ 5 % slower, ≤ 10 % repeated",
                            f"{slower:+.1%} of {best} ({static[best]:.2f} ms); {again:.1%} repeated",
                            slower <= 0.05 and again <= 0.1))
    return bars


def cores(sf: float, parts: dict) -> list[Bar]:
    report = parts.get("modes", {}).get("cpu", {}).get("q1.1")
    if report is None:
        return []
    return [Bar("cores alone, q1.1", "≤ 60 ms" if sf == SF100 else "–", f"{report['min_ms']:.2f} ms",
                report["min_ms"] <= 60 if sf == SF100 else None)]


def first_kernel(_: float, parts: dict) -> list[Bar]:
    found = parts.get("kernels", {})
    if "other_constants" not in found or not found["first"]["by_query"]:
        return []
    first = found["first"]
    each = [query["ms_each"] for query in first["by_query"].values()]
    disk = found["from_disk"]
    loaded = (disk["disk_ms"] + disk["load_ms"]) / max(disk["from_disk"], 1)
    again = found["other_constants"]["compiled"]
    return [Bar("a kernel first seen", "≤ 200 ms", f"at most {first['most_ms']:.0f} ms; by query {min(each):.0f} to "
                f"{max(each):.0f}, median {median(each):.0f}", first["most_ms"] <= 200),
            Bar("the same shape or other constants", "none compiled", f"{again} compiled", again == 0),
            Bar("a kernel from disk", "≤ 1 ms", f"{loaded:.2f} ms, mean of {disk['from_disk']}", loaded <= 1)]


def capped(sf: float, parts: dict) -> list[Bar]:
    rounds, own = parts.get("cap"), parts.get("passive")
    if not complete(rounds) or not complete(own):
        return []
    mean = geomean(own[name]["median_ms"] / median(rounds[name]) for name in QUERIES)
    return [Bar("more data than the card may hold", "≥ 0.9× the speed in place" if sf == SF100 else "–",
                f"{mean:.2f}×, all right", mean >= 0.9 if sf == SF100 else None)]


def at_once(_: float, parts: dict) -> list[Bar]:
    found = parts.get("clients")
    if not found:
        return []
    times = found["at_the_same_time_ms"] / found["one_by_one_ms"]
    return [Bar(f"{found['clients']} clients at once", "≤ 1.15× one after another", f"{times:.2f}×, all right",
                times <= 1.15)]


def tasks_at_once(_: float, parts: dict) -> list[Bar]:
    return [Bar(f"{next(iter(numbers.values()))['clients']} clients by queries on the card at a time, tables in the "
                f"{place}'s memory", "shown", ", ".join(f"{number}: {found['at_the_same_time_ms']:.0f} ms"
                                                        for number, found in numbers.items()), None)
            for place, numbers in parts.get("tasks", {}).items() if all(numbers.values())]


def by_itself(_: float, parts: dict) -> list[Bar]:
    reports = parts.get("auto")
    if not complete(reports):
        return []
    where = [report["pipelines"][-1]["mode"] for report in reports.values()]
    ended = ", ".join(f"{mode} {where.count(mode)}" for mode in sorted(set(where)))
    return [Bar("mode auto, tables in the host's memory at first", "shown",
                f"first {geomean(of(reports, 'first_ms')):.1f} ms, median {geomean(of(reports, 'median_ms')):.3f} ms, "
                f"fastest {geomean(of(reports, 'min_ms')):.3f} ms ({ended})", None)]


def ablation(_: float, parts: dict) -> list[Bar]:
    found = parts.get("coupled", {})
    if "decoupled" not in found:
        return []
    text = "; ".join(f"{name} {report['gpu_share']:.2%} of {report['median_ms']:.0f} ms, "
                     f"kept {found['decoupled'][name]['gpu_share']:.0%}" for name, report in found["coupled"].items())
    return [Bar(f"share of kernels, the card opened for each run, scale factor {found['sf']:g}", "shown", text, None)]


def sanitized(_: float, parts: dict) -> list[Bar]:
    found = parts.get("sanitizer", {})
    return [Bar(f"compute-sanitizer {kind}", "0 reports", text, " 0 " in f" {text} ") for kind, text in found.items()
            if kind != "not_run"]


def judge(sf: float, parts: dict, bandwidth: float) -> list[Bar]:
    """All bars that the parts say something of."""
    bars = kernels_resident(sf, parts) + floor(sf, parts, bandwidth)
    for bar in (overhead, over_socket, in_place, both, policies, cores, first_kernel, by_itself, capped, at_once,
                tasks_at_once, ablation, sanitized):
        bars += bar(sf, parts)
    return bars


# --- the page ---

COLUMNS = {
    "kernel": lambda parts, name: parts["resident"]["built"][name]["gpu_kernel_min_ms"],
    "scan": lambda parts, name: scan_ms(parts["resident"]["kept"][name]),
    "whole": lambda parts, name: parts["resident"]["kept"][name]["min_ms"],
    "node": lambda parts, name: parts["node"][name]["min_ms"],
    "in place": lambda parts, name: parts["passive"][name]["min_ms"],
    "active2": lambda parts, name: parts["active"]["active2"][name]["min_ms"],
    "cores": lambda parts, name: parts["modes"]["cpu"][name]["min_ms"],
    "both": lambda parts, name: parts["modes"][DEFAULT_POLICY][name]["min_ms"],
}


def cell(column, parts: dict, name: str) -> str:
    try:
        return f"{column(parts, name):.3f}"
    except (KeyError, TypeError):
        return ""


def query_table(parts: dict, bandwidth: float) -> list[str]:
    fractions = floor_fractions(parts, bandwidth)
    lines = [f"| query | {' | '.join(COLUMNS)} | of the floor |", "| --- |" + " ---: |" * (len(COLUMNS) + 1)]
    for name in QUERIES:
        cells = [cell(column, parts, name) for column in COLUMNS.values()]
        lines.append(f"| {name} | {' | '.join(cells)} | {f'{fractions[name]:.2f}' if name in fractions else ''} |")
    return lines


def page(found: dict, bandwidth: float) -> str:
    """In Markdown."""
    sf, parts, machine = found["sf"], found["parts"], found["machine"]
    builds = {program["commit"] or program["sha256"] for program in found["measured_by"].values()}
    made = found["first_answer_s"]
    lines = [f"# SSB, scale factor {sf:g}, with a GPU", "",
             f"{found['date']}, build {', '.join(sorted(builds))}; {machine.get('cpu', '')}, {machine.get('cores', '?')} cores; {found['gpu']}; tables "
             f"generated in memory{f' in {made:.0f} s' if made else ''}. Answers of every run are those of cores"
             + (f", and at scale factor {found['check_sf']:g} DuckDB's." if "cpu" in parts.get("check", {}) else "."),
             "", "Milliseconds, minima. \"kernel\": all kernels of a query on the card, build sides made in each run; "
             "\"scan\": the kernel over lineorder, build sides kept; \"of the floor\": sectors of 32 bytes with a row "
             f"alive, counted, at {bandwidth / 1e12:.2f} TB/s, over the scan.", ""]
    lines += query_table(parts, bandwidth)
    lines += ["", "| what | bar | measured | met |", "| --- | --- | --- | --- |"]
    lines += [bar.line() for bar in judge(sf, parts, bandwidth)]
    if found["not_measured"]:
        lines += ["", "Not measured: " + "; ".join(f"{part}: {why}" for part, why in found["not_measured"].items())]
    return "\n".join(lines) + "\n"


def bars_json(found: dict, bandwidth: float) -> list[dict]:
    return [asdict(bar) for bar in judge(found["sf"], found["parts"], bandwidth)]
