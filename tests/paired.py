# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Expressions that are written twice, for a command and for SQL, so that both engines are asked the same."""

import datetime
from dataclasses import dataclass
from decimal import Decimal

import commands
from commands import BOOL, DOUBLE, INT32, STRING, Type, decimal

EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Pair:
    """One expression: its JSON, its SQL, its type, and the largest absolute value it can have (None: not known)."""

    json: dict
    sql: str
    type: Type
    bound: int | None = None


def column(name: str, of: Type, bound: int | None = None) -> Pair:
    return Pair(commands.column(name), f'"{name}"', of, bound)


def sql_literal(value, of: Type) -> str:
    if value is None:
        return f"CAST(NULL AS {of.sql})"
    if of.kind == "DATE":
        return f"DATE '{(EPOCH + datetime.timedelta(days=value)).date()}'"
    if of.kind in ("TIMESTAMP", "TIMESTAMP_NTZ"):
        zone = "+00" if of.kind == "TIMESTAMP" else ""
        return f"{of.sql} '{EPOCH + datetime.timedelta(microseconds=value)}{zone}'"
    if of.kind == "BINARY":
        return f"unhex('{value.hex()}')"
    text = str(value).replace("'", "''")
    return f"CAST('{text}' AS {of.sql})"


def literal(value, of: Type) -> Pair:
    known = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) and value == value
    return Pair(commands.literal(value, of), sql_literal(value, of), of,
                int(abs(value)) + 1 if known and abs(value) < 10**30 else None)


def compare(operator: str, left: Pair, right: Pair) -> Pair:
    signs = {"EQUAL": "=", "NOT_EQUAL": "<>", "LESS": "<", "LESS_EQUAL": "<=", "GREATER": ">", "GREATER_EQUAL": ">=",
             "EQUAL_NULL_SAFE": "IS NOT DISTINCT FROM"}
    return Pair(commands.call(operator, left.json, right.json), f"({left.sql} {signs[operator]} {right.sql})", BOOL)


def between(value: Pair, low: Pair, high: Pair) -> Pair:
    return Pair(commands.call("BETWEEN", value.json, low.json, high.json),
                f"({value.sql} BETWEEN {low.sql} AND {high.sql})", BOOL)


def logic(operator: str, left: Pair, right: Pair) -> Pair:
    return Pair(commands.call(operator, left.json, right.json), f"({left.sql} {operator} {right.sql})", BOOL)


def negation(arg: Pair) -> Pair:
    return Pair(commands.call("NOT", arg.json), f"(NOT {arg.sql})", BOOL)


def null_test(arg: Pair, negated: bool = False) -> Pair:
    return Pair(commands.call("IS_NOT_NULL" if negated else "IS_NULL", arg.json),
                f"({arg.sql} IS {'NOT ' if negated else ''}NULL)", BOOL)


def in_list(value: Pair, items: list, negated: bool = False) -> Pair:
    listed = ", ".join(sql_literal(item, value.type) for item in items)
    return Pair(commands.in_list(value.json, items, value.type, negated),
                f"({value.sql} {'NOT ' if negated else ''}IN ({listed}))", BOOL)


def like(value: Pair, pattern: str, negated: bool = False) -> Pair:
    return Pair(commands.like(value.json, pattern, negated),
                f"({value.sql} {'NOT ' if negated else ''}LIKE {sql_literal(pattern, STRING)})", BOOL)


def text_test(operator: str, value: Pair, part: str) -> Pair:
    function = {"STARTS_WITH": "starts_with", "ENDS_WITH": "ends_with", "CONTAINS": "contains"}[operator]
    return Pair(commands.call(operator, value.json, commands.literal(part, STRING)),
                f"{function}({value.sql}, {sql_literal(part, STRING)})", BOOL)


def date_part(operator: str, arg: Pair) -> Pair:
    return Pair(commands.call(operator, arg.json), f"CAST({operator.lower()}({arg.sql}) AS INTEGER)", INT32, 10_000)


def decimal_result(operator: str, left: Type, right: Type) -> Type:
    """Spark's rule, while no more than 38 digits are needed."""
    if operator == "MULTIPLY":
        return decimal(left.precision + right.precision + 1, left.scale + right.scale)
    scale = max(left.scale, right.scale)
    return decimal(max(left.precision - left.scale, right.precision - right.scale) + scale + 1, scale)


def arithmetic(operator: str, left: Pair, right: Pair) -> Pair | None:
    """None where the result might not fit: the engines go different ways then."""
    if left.bound is None or right.bound is None:
        bound = None
    else:
        bound = left.bound * right.bound if operator == "MULTIPLY" else left.bound + right.bound
    of = left.type
    if of.kind == "DECIMAL":
        of = decimal_result(operator, left.type, right.type)
        if of.precision > 38:
            return None
    elif of.kind in ("INT8", "INT16", "INT32", "INT64"):
        if bound is None or bound >= 1 << (int(of.kind[3:]) - 1):
            return None
    sign = {"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*"}[operator]
    # DuckDB's decimals need not have Spark's width: the cast gives them room.
    left_sql = f"CAST({left.sql} AS {of.sql})" if of.kind == "DECIMAL" and operator != "MULTIPLY" else left.sql
    if of.kind == "DECIMAL" and operator == "MULTIPLY" and of.precision > 18:
        left_sql = f"CAST({left.sql} AS DECIMAL({38 - right.type.precision},{left.type.scale}))"
    return Pair(commands.call(operator, left.json, right.json), f"({left_sql} {sign} {right.sql})", of, bound)


def divide(left: Pair, right: Pair) -> Pair:
    """Of integers and floats: a double, and null for a divisor of zero."""
    return Pair(commands.call("DIVIDE", left.json, right.json),
                f"(CASE WHEN {right.sql} = 0 THEN NULL ELSE CAST({left.sql} AS DOUBLE) / {right.sql} END)", DOUBLE)


def modulo(left: Pair, right: Pair) -> Pair:
    return Pair(commands.call("MODULO", left.json, right.json),
                f"(CASE WHEN {right.sql} = 0 THEN NULL ELSE {left.sql} % {right.sql} END)", left.type, right.bound)


def negate(arg: Pair) -> Pair:
    return Pair(commands.call("NEGATE", arg.json), f"(- {arg.sql})", arg.type, arg.bound)


def cast(arg: Pair, to: Type) -> Pair:
    """Among numbers; fractions are cut on their way to integers."""
    whole = to.kind.startswith("INT") and arg.type.kind in ("FLOAT", "DOUBLE", "DECIMAL")
    inner = f"trunc({arg.sql})" if whole else arg.sql
    bound = 1 if arg.type.kind == "BOOL" else arg.bound
    return Pair(commands.cast(arg.json, to), f"CAST({inner} AS {to.sql})", to, bound)


def case(branches: list[tuple[Pair, Pair]], otherwise: Pair | None) -> Pair:
    values = [value for _, value in branches] + ([otherwise] if otherwise else [])
    sql = " ".join(f"WHEN {condition.sql} THEN {value.sql}" for condition, value in branches)
    json = commands.case([(condition.json, value.json) for condition, value in branches],
                         otherwise.json if otherwise else None)
    return Pair(json, f"(CASE {sql} {'ELSE ' + otherwise.sql if otherwise else ''} END)", values[0].type,
                _largest(values))


def conditional(condition: Pair, then: Pair, otherwise: Pair) -> Pair:
    return Pair(commands.call("IF", condition.json, then.json, otherwise.json),
                f"(CASE WHEN {condition.sql} THEN {then.sql} ELSE {otherwise.sql} END)", then.type,
                _largest([then, otherwise]))


def coalesce(*args: Pair) -> Pair:
    return Pair(commands.call("COALESCE", *(arg.json for arg in args)),
                f"coalesce({', '.join(arg.sql for arg in args)})", args[0].type, _largest(args))


def _largest(values) -> int | None:
    bounds = [value.bound for value in values]
    return None if None in bounds else max(bounds)


AGGREGATE_SQL = {"SUM": "sum({})", "COUNT": "count({})", "MIN": "min({})", "MAX": "max({})", "AVG": "avg({})"}


def substring(text: Pair, first: int, length: int) -> Pair:
    """From the first character on: DuckDB counts other starts otherwise."""
    numbers = [commands.literal(number, INT32) for number in (first, length)]
    return Pair(commands.call("SUBSTRING", text.json, *numbers), f"substring({text.sql}, {first}, {length})", text.type)


def aggregate(function: str, argument: Pair | None, name: str) -> tuple[dict, str]:
    """The call and its SQL. DuckDB sums integers in 128 bits; the value is the same."""
    if argument is None:
        return commands.aggregate_call("COUNT_ALL", None, name), f'count(*) AS "{name}"'
    sql = AGGREGATE_SQL[function].format(argument.sql)
    if function == "SUM" and argument.type.kind.startswith("INT"):
        sql = f"CAST({sql} AS BIGINT)"
    return commands.aggregate_call(function, argument.json, name), f'{sql} AS "{name}"'
