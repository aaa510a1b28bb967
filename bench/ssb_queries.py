# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The 13 queries of the Star Schema Benchmark, as SQL.

QUERIES holds the specification's text. Four of them, one per flight, can also be asked with other constants: VARIANTS
maps a query to a function that draws constants and to its SQL with named placeholders. The names of the constants are
those that `shadowvm bench ssb --interactive` takes.
"""

import random

from query_texts import read_queries

QUERIES = read_queries("ssb")

TABLES = ("lineorder", "customer", "supplier", "part", "date")

# What the 13 queries read of lineorder.
LINEORDER_COLUMNS = (
    "lo_custkey", "lo_partkey", "lo_suppkey", "lo_orderdate", "lo_quantity", "lo_extendedprice", "lo_discount",
    "lo_revenue", "lo_supplycost",
)

_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")


def _draw_q1_1(draw: random.Random) -> dict:
    low = draw.randint(0, 8)
    return {"year": draw.randint(1992, 1998), "discount_low": low, "discount_high": draw.randint(low, 10),
            "quantity": draw.randint(2, 50)}


def _draw_q2_1(draw: random.Random) -> dict:
    return {"category": f"MFGR#{draw.randint(1, 5)}{draw.randint(1, 5)}", "region": draw.choice(_REGIONS)}


def _draw_q3_1(draw: random.Random) -> dict:
    low = draw.randint(1992, 1998)
    return {"customer_region": draw.choice(_REGIONS), "supplier_region": draw.choice(_REGIONS), "year_low": low,
            "year_high": draw.randint(low, 1998)}


def _draw_q4_1(draw: random.Random) -> dict:
    first, second = draw.sample(range(1, 6), 2)
    return {"customer_region": draw.choice(_REGIONS), "supplier_region": draw.choice(_REGIONS),
            "mfgr_a": f"MFGR#{first}", "mfgr_b": f"MFGR#{second}"}


def _with_placeholders(query: str, phrases: dict[str, str]) -> str:
    """The query's text with these phrases of it, each found once, replaced."""
    text = QUERIES[query]
    for phrase, replacement in phrases.items():
        if text.count(phrase) != 1:
            raise ValueError(f"{query} has '{phrase}' {text.count(phrase)} times")
        text = text.replace(phrase, replacement)
    return text


# Query -> (draws constants, SQL with placeholders).
VARIANTS = {
    "q1.1": (_draw_q1_1, _with_placeholders("q1.1", {
        "d_year = 1993": "d_year = {year}", "BETWEEN 1 AND 3": "BETWEEN {discount_low} AND {discount_high}",
        "lo_quantity < 25": "lo_quantity < {quantity}"})),
    "q2.1": (_draw_q2_1, _with_placeholders("q2.1", {"'MFGR#12'": "'{category}'", "'AMERICA'": "'{region}'"})),
    "q3.1": (_draw_q3_1, _with_placeholders("q3.1", {
        "c_region = 'ASIA'": "c_region = '{customer_region}'", "s_region = 'ASIA'": "s_region = '{supplier_region}'",
        "d_year >= 1992": "d_year >= {year_low}", "d_year <= 1997": "d_year <= {year_high}"})),
    "q4.1": (_draw_q4_1, _with_placeholders("q4.1", {
        "c_region = 'AMERICA'": "c_region = '{customer_region}'",
        "s_region = 'AMERICA'": "s_region = '{supplier_region}'",
        "'MFGR#1'": "'{mfgr_a}'", "'MFGR#2'": "'{mfgr_b}'"})),
}
