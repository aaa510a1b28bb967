# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Queries written by hand, with their SQL: the shapes that chance reaches too rarely."""

from dataclasses import dataclass

import paired
from commands import INT32, INT64, STRING, Command, aggregate_call, call, column, in_list, literal, sort_key
from typed_tables import TYPES


@dataclass
class Case:
    command: Command
    sql: str
    ordered: bool = False


def facts_sql(tables) -> str:
    return f"read_parquet({[str(path) for path in tables.facts]})"


def every_column(tables) -> dict[str, Case]:
    """Each type, with no, some and only nulls, out as it went in."""
    command = Command()
    command.scan(*tables.facts)
    return {"scan_everything": Case(command, f"SELECT * FROM {facts_sql(tables)}")}


def grouped_by_each_type(tables) -> dict[str, Case]:
    cases = {}
    for name in TYPES:
        for suffix in ("", "_n", "_z"):
            key = name + suffix
            command = Command()
            command.aggregate(command.scan(*tables.facts), {"k": column(key)},
                              [aggregate_call("COUNT_ALL", None, "n"), aggregate_call("SUM", column("i32_n"), "s")])
            cases[f"group_by_{key}"] = Case(
                command, f"SELECT {key} AS k, count(*), CAST(sum(i32_n) AS BIGINT) FROM {facts_sql(tables)} GROUP BY 1")
    return cases


def sorted_by_each_type(tables) -> dict[str, Case]:
    cases = {}
    for name in TYPES:
        for descending, nulls in ((False, "FIRST"), (False, "LAST"), (True, "FIRST"), (True, "LAST")):
            key = name + "_n"
            command = Command()
            kept = command.map(command.scan(tables.facts[0]), id=column("id"), k=column(key))
            command.sort(kept, sort_key(column("k"), descending, nulls), sort_key(column("id")))
            order = f"{key} {'DESC' if descending else 'ASC'} NULLS {nulls}, id"
            cases[f"sort_by_{name}_{'desc' if descending else 'asc'}_{nulls.lower()}"] = Case(
                command, f"SELECT id, {key} FROM read_parquet('{tables.facts[0]}') ORDER BY {order}", True)
    return cases


JOIN_KEYS = [("i8", "r_i8"), ("i16_n", "r_i16_n"), ("i32", "key"), ("i32_n", "key"), ("i32_n", "r_i32_n"),
             ("i64_n", "r_i64"), ("d5", "r_d5_n"), ("d18_n", "r_d18_n"), ("day_n", "r_day"), ("ts", "r_ts"),
             ("tsn_n", "r_tsn_n"), ("s", "r_s"), ("s_n", "r_s_n"), ("bin_n", "r_bin_n"), ("i32_z", "r_i32_n"),
             ("f64_n", "r_f64_n"), ("d38", "r_d38"), ("d38_n", "r_d38_n")]


def joined(tables, kind: str, keys: list[tuple[str, str]], build: str = "RIGHT") -> Case:
    command = Command()
    left = command.filter(command.scan(tables.facts[0]), paired.compare(
        "LESS", paired.column("id", INT64), paired.literal(2500, INT64)).json)
    joined_at = command.join(kind, left, command.scan(tables.dims), [column(key) for key, _ in keys],
                             [column(key) for _, key in keys], build)
    outputs = ["id", keys[0][0]] + (["key", "r_s", "r_d38_n"] if kind in ("INNER", "LEFT_OUTER") else [])
    command.map(joined_at, **{name: column(name) for name in outputs})
    left_sql = f"(SELECT * FROM read_parquet('{tables.facts[0]}') WHERE id < 2500) l"
    condition = " AND ".join(f"l.{a} = r.{b}" for a, b in keys)
    word = {"INNER": "", "LEFT_SEMI": "SEMI", "LEFT_ANTI": "ANTI", "LEFT_OUTER": "LEFT"}[kind]
    sql = f"SELECT {', '.join(outputs)} FROM {left_sql} {word} JOIN read_parquet('{tables.dims}') r ON {condition}"
    return Case(command, sql)


def joins(tables) -> dict[str, Case]:
    cases = {}
    for kind in ("INNER", "LEFT_SEMI", "LEFT_ANTI", "LEFT_OUTER"):
        for pair in JOIN_KEYS:
            cases[f"join_{kind.lower()}_{pair[0]}_{pair[1]}"] = joined(tables, kind, [pair])
        for keys in ([("i8", "r_i8"), ("b_n", "r_b_n")], [("s", "r_s"), ("i8_n", "r_i8_n")],
                     [("i16", "r_i16"), ("d5_n", "r_d5"), ("s_n", "r_s")]):
            cases[f"join_{kind.lower()}_by_{len(keys)}_{keys[0][0]}"] = joined(tables, kind, keys)
    for keys in ([("i32", "key")], [("s_n", "r_s_n")]):
        cases[f"join_inner_left_built_{keys[0][0]}"] = joined(tables, "INNER", keys, "LEFT")
    return cases


def many_groups(tables) -> dict[str, Case]:
    cases = {}
    for key in ("k", "text"):
        command = Command()
        command.aggregate(command.scan(tables.big), {key: column(key)}, [
            aggregate_call("SUM", column("v"), "s"), aggregate_call("AVG", column("v_n"), "a"),
            aggregate_call("MIN", column("v_n"), "low"), aggregate_call("MAX", column("d18"), "high"),
            aggregate_call("COUNT", column("v_n"), "n")])
        cases[f"many_groups_{key}"] = Case(
            command, f"SELECT {key}, CAST(sum(v) AS BIGINT), avg(v_n), min(v_n), max(d18), count(v_n) "
                     f"FROM read_parquet('{tables.big}') GROUP BY 1")
    command = Command()
    small = command.filter(command.scan(tables.big), paired.compare(
        "EQUAL", paired.column("v", INT32), paired.literal(7, INT32)).json)
    found = command.join("LEFT_SEMI", command.scan(tables.big), small, [column("text")], [column("text")])
    command.aggregate(found, {}, [aggregate_call("COUNT_ALL", None, "n"), aggregate_call("SUM", column("d18"), "s")])
    cases["semi_join_of_long_texts"] = Case(
        command, f"SELECT count(*), sum(d18) FROM read_parquet('{tables.big}') WHERE text IN "
                 f"(SELECT text FROM read_parquet('{tables.big}') WHERE v = 7)")
    command = Command()
    command.top_n(command.scan(tables.big), [sort_key(column("v"), True), sort_key(column("text")),
                                             sort_key(column("id"))], 25, 5)
    cases["top_of_many"] = Case(
        command, f"SELECT * FROM read_parquet('{tables.big}') ORDER BY v DESC, text, id LIMIT 25 OFFSET 5", True)
    command = Command()
    command.sort(command.scan(tables.big, columns=["text", "id"]), sort_key(column("text")), sort_key(column("id")))
    cases["sort_of_many"] = Case(
        command, f"SELECT text, id FROM read_parquet('{tables.big}') ORDER BY text, id", True)
    return cases


def logic(tables) -> dict[str, Case]:
    """Every pair of true, false and null."""
    a, b = paired.column("b_n", TYPES["b"]), paired.compare(
        "LESS", paired.column("i32_n", INT32), paired.literal(0, INT32))
    parts = {"both": paired.logic("AND", a, b), "either": paired.logic("OR", a, b), "neither": paired.negation(a),
             "equal": paired.compare("EQUAL_NULL_SAFE", a, b),
             "found": paired.in_list(paired.column("i8_n", TYPES["i8"]), [1, 5, None]),
             "missing": paired.in_list(paired.column("s_n", STRING), ["a", None], negated=True)}
    command = Command()
    source = command.scan(*tables.facts)
    command.map(source, **{name: pair.json for name, pair in parts.items()})
    listed = ", ".join(pair.sql for pair in parts.values())
    return {"three_valued_logic": Case(command, f"SELECT {listed} FROM {facts_sql(tables)}")}


def sorted_then_changed(tables) -> dict[str, Case]:
    """What comes after a sort keeps its order, though several workers compute it."""
    command = Command()
    ordered = command.sort(command.scan(tables.big, columns=["text", "id", "v"]), sort_key(column("text")),
                           sort_key(column("id")))
    doubled = paired.arithmetic("ADD", paired.column("v", INT32, 1000), paired.column("v", INT32, 1000))
    kept = command.filter(ordered, paired.compare("GREATER", doubled, paired.literal(-100, INT32)).json)
    changed = command.map(kept, id=column("id"), w=doubled.json)
    sql = (f"SELECT id, {doubled.sql} AS w FROM read_parquet('{tables.big}') WHERE {doubled.sql} > -100 "
           "ORDER BY text, id")
    cases = {"sort_then_map": Case(command, sql, True)}
    limited = Command({}, list(command.actions))
    limited.limit(changed, 200_000, 150_000)
    return cases | {"sort_then_map_then_limit": Case(limited, f"{sql} LIMIT 200000 OFFSET 150000", True)}


def shared_input(tables) -> dict[str, Case]:
    """One aggregate feeds two sides of a join: a DAG."""
    command = Command()
    groups = command.aggregate(command.scan(*tables.facts), {"g": column("i8")},
                               [aggregate_call("SUM", column("i32"), "s")])
    best = command.map(command.top_n(groups, [sort_key(column("s"), True), sort_key(column("g"))], 5), h=column("g"))
    command.join("INNER", groups, best, [column("g")], [column("h")])
    grouped = f"SELECT i8 AS g, CAST(sum(i32) AS BIGINT) AS s FROM {facts_sql(tables)} GROUP BY 1"
    return {"one_aggregate_twice": Case(
        command, f"WITH t AS ({grouped}), u AS (SELECT g AS h FROM t ORDER BY s DESC, g LIMIT 5) "
                 f"SELECT g, s, h FROM t, u WHERE g = h")}


def groups_of_a_join_with_holes(tables) -> dict[str, Case]:
    """Nearly every key of a range is there: a GPU may leave the few others to the groups."""
    holes = [-290, -150, -149, -77, -3]
    command = Command()
    facts = command.scan(*tables.facts)
    keys = command.aggregate(command.scan(*tables.facts), {"k": column("i32")},
                             [aggregate_call("MIN", column("i8"), "g")])
    kept = command.filter(keys, call("GREATER_EQUAL", column("k"), literal(-300, INT32)),
                          call("LESS", column("k"), literal(0, INT32)), in_list(column("k"), holes, INT32, negated=True))
    both = command.join("INNER", facts, kept, [column("i32")], [column("k")])
    command.aggregate(both, {"g": column("g")}, [
        aggregate_call("COUNT_ALL", None, "n"), aggregate_call("SUM", column("i32_n"), "s"),
        aggregate_call("MIN", column("i64_n"), "least")])
    listed = ", ".join(str(hole) for hole in holes)
    return {"groups_of_a_join_with_holes": Case(
        command, f"WITH d AS (SELECT i32 AS k, min(i8) AS g FROM {facts_sql(tables)} WHERE i32 BETWEEN -300 AND -1 "
                 f"AND i32 NOT IN ({listed}) GROUP BY 1) SELECT g, count(*), CAST(sum(i32_n) AS BIGINT), min(i64_n) "
                 f"FROM {facts_sql(tables)} f JOIN d ON f.i32 = d.k GROUP BY 1")}


def all_cases(tables) -> dict[str, Case]:
    cases = {}
    for make in (every_column, grouped_by_each_type, sorted_by_each_type, joins, many_groups, logic,
                 sorted_then_changed, shared_input, groups_of_a_join_with_holes):
        cases |= make(tables)
    return cases
