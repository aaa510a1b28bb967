# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""22 queries derived from the TPC-H specification, with its validation parameters, as Spark SQL.

What is measured or compared with them is no TPC-H result: data, rules and metric are not the specification's.
"""

from query_texts import read_queries

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

QUERIES = read_queries("tpch")
