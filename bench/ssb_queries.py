# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The 13 queries of the Star Schema Benchmark, as SQL.

QUERIES holds the specification's text. Four of them, one per flight, can also be asked with other constants: VARIANTS
maps a query to a function that draws constants and to its SQL with named placeholders. The names of the constants are
those that `shadowvm bench ssb --interactive` takes.
"""

import random

_Q1_1 = """
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey
  AND d_year = {year}
  AND lo_discount BETWEEN {discount_low} AND {discount_high}
  AND lo_quantity < {quantity}
"""

_Q2_1 = """
SELECT sum(lo_revenue) AS lo_revenue, d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey
  AND lo_partkey = p_partkey
  AND lo_suppkey = s_suppkey
  AND p_category = '{category}'
  AND s_region = '{region}'
GROUP BY d_year, p_brand1
ORDER BY d_year, p_brand1
"""

_Q3_1 = """
SELECT c_nation, s_nation, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_orderdate = d_datekey
  AND c_region = '{customer_region}'
  AND s_region = '{supplier_region}'
  AND d_year >= {year_low} AND d_year <= {year_high}
GROUP BY c_nation, s_nation, d_year
ORDER BY d_year ASC, revenue DESC
"""

_Q4_1 = """
SELECT d_year, c_nation, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_partkey = p_partkey
  AND lo_orderdate = d_datekey
  AND c_region = '{customer_region}'
  AND s_region = '{supplier_region}'
  AND (p_mfgr = '{mfgr_a}' OR p_mfgr = '{mfgr_b}')
GROUP BY d_year, c_nation
ORDER BY d_year, c_nation
"""

QUERIES = {
    "q1.1": _Q1_1.format(year=1993, discount_low=1, discount_high=3, quantity=25),
    "q1.2": """
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey
  AND d_yearmonthnum = 199401
  AND lo_discount BETWEEN 4 AND 6
  AND lo_quantity BETWEEN 26 AND 35
""",
    "q1.3": """
SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey
  AND d_weeknuminyear = 6
  AND d_year = 1994
  AND lo_discount BETWEEN 5 AND 7
  AND lo_quantity BETWEEN 26 AND 35
""",
    "q2.1": _Q2_1.format(category="MFGR#12", region="AMERICA"),
    "q2.2": """
SELECT sum(lo_revenue) AS lo_revenue, d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey
  AND lo_partkey = p_partkey
  AND lo_suppkey = s_suppkey
  AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228'
  AND s_region = 'ASIA'
GROUP BY d_year, p_brand1
ORDER BY d_year, p_brand1
""",
    "q2.3": """
SELECT sum(lo_revenue) AS lo_revenue, d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey
  AND lo_partkey = p_partkey
  AND lo_suppkey = s_suppkey
  AND p_brand1 = 'MFGR#2239'
  AND s_region = 'EUROPE'
GROUP BY d_year, p_brand1
ORDER BY d_year, p_brand1
""",
    "q3.1": _Q3_1.format(customer_region="ASIA", supplier_region="ASIA", year_low=1992, year_high=1997),
    "q3.2": """
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_orderdate = d_datekey
  AND c_nation = 'UNITED STATES'
  AND s_nation = 'UNITED STATES'
  AND d_year >= 1992 AND d_year <= 1997
GROUP BY c_city, s_city, d_year
ORDER BY d_year ASC, revenue DESC
""",
    "q3.3": """
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_orderdate = d_datekey
  AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5')
  AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
  AND d_year >= 1992 AND d_year <= 1997
GROUP BY c_city, s_city, d_year
ORDER BY d_year ASC, revenue DESC
""",
    "q3.4": """
SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_orderdate = d_datekey
  AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5')
  AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
  AND d_yearmonth = 'Dec1997'
GROUP BY c_city, s_city, d_year
ORDER BY d_year ASC, revenue DESC
""",
    "q4.1": _Q4_1.format(customer_region="AMERICA", supplier_region="AMERICA", mfgr_a="MFGR#1", mfgr_b="MFGR#2"),
    "q4.2": """
SELECT d_year, s_nation, p_category, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_partkey = p_partkey
  AND lo_orderdate = d_datekey
  AND c_region = 'AMERICA'
  AND s_region = 'AMERICA'
  AND (d_year = 1997 OR d_year = 1998)
  AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
GROUP BY d_year, s_nation, p_category
ORDER BY d_year, s_nation, p_category
""",
    "q4.3": """
SELECT d_year, s_city, p_brand1, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_partkey = p_partkey
  AND lo_orderdate = d_datekey
  AND c_region = 'AMERICA'
  AND s_nation = 'UNITED STATES'
  AND (d_year = 1997 OR d_year = 1998)
  AND p_category = 'MFGR#14'
GROUP BY d_year, s_city, p_brand1
ORDER BY d_year, s_city, p_brand1
""",
}

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


# Query -> (draws constants, SQL with placeholders).
VARIANTS = {
    "q1.1": (_draw_q1_1, _Q1_1),
    "q2.1": (_draw_q2_1, _Q2_1),
    "q3.1": (_draw_q3_1, _Q3_1),
    "q4.1": (_draw_q4_1, _Q4_1),
}
