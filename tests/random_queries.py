# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Queries by chance: scan, filters, maps, joins, then an aggregate, a sort or a top-n, from one seed each."""

import random
from dataclasses import dataclass, field

import paired
from commands import BOOL, DOUBLE, INT16, INT32, INT64, Command, Type, sort_key
from paired import Pair
from typed_tables import DEC5, DEC18, TYPES, draw_value, values_in

BOUNDS = {"INT8": 127, "INT16": 300, "INT32": 1000, "INT64": 100_000, "FLOAT": 1000, "DOUBLE": 1000}
DECIMAL_BOUNDS = {5: 1000, 18: 10_000, 38: 10**10}
COMPARISONS = ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL_NULL_SAFE"]


def bound_of(of: Type) -> int | None:
    return DECIMAL_BOUNDS[of.precision] if of.kind == "DECIMAL" else BOUNDS.get(of.kind)


def typed_column(name: str, of: Type) -> Pair:
    return paired.column(name, of, bound_of(of))


def fact_columns() -> list[Pair]:
    columns = [typed_column(name + suffix, of) for name, of in TYPES.items() for suffix in ("", "", "", "_n", "_n", "_n", "_z")]
    return [paired.column("id", INT64, 12_000), *columns]


def dim_columns() -> list[Pair]:
    names = ("i8", "i16", "i32", "i64", "d5", "d18", "d38", "day", "ts", "tsn", "s", "b", "f64", "bin")
    columns = [typed_column(f"r_{name}{suffix}", TYPES[name]) for name in names for suffix in ("", "_n")]
    return [paired.column("key", INT32, 1000), *columns]


class Data:
    """The files that queries read, and what is in them."""

    def __init__(self, facts: list, dims, duck):
        self.facts = facts
        self.dims = dims
        self.duck = duck
        self.values = values_in(facts[0])

    def has_rows(self, sql: str) -> bool:
        return self.duck.execute(f"SELECT 1 FROM ({sql}) LIMIT 1").fetchone() is not None


class Expressions:
    """Draws expressions over columns in scope."""

    def __init__(self, draw: random.Random, scope: list[Pair], values: dict[Type, list]):
        self.draw = draw
        self.scope = scope
        self.values = values

    def constant(self, of: Type):
        """Mostly a value that the files hold, so that conditions keep some rows and drop others."""
        if of in self.values and self.draw.random() < 0.8:
            return self.draw.choice(self.values[of])
        return draw_value(self.draw, of)

    def column_of(self, of: Type) -> Pair | None:
        fitting = [column for column in self.scope if column.type == of]
        return self.draw.choice(fitting) if fitting else None

    def leaf(self, of: Type) -> Pair:
        column = self.column_of(of)
        if column is not None and self.draw.random() < 0.75:
            return column
        unknown = of.kind == "DECIMAL" and of.precision not in DECIMAL_BOUNDS
        return paired.literal(None if unknown or self.draw.random() < 0.05 else self.constant(of), of)

    def value(self, of: Type, depth: int) -> Pair:
        if of == BOOL:
            return self.condition(depth)
        if depth == 0 or self.draw.random() < 0.3:
            return self.leaf(of)
        if self.draw.random() < 0.25:
            return self.choice(of, depth)
        made = None
        if of in (INT32, INT64):
            made = self.integer(of, depth)
        elif of == DOUBLE:
            made = self.double(depth)
        elif of.kind == "DECIMAL":
            made = self.decimal(of)
        elif of == TYPES["s"]:
            made = paired.substring(self.leaf(of), self.draw.randint(1, 3), self.draw.choice([0, 1, 2, 40]))
        return made or self.leaf(of)

    def choice(self, of: Type, depth: int) -> Pair:
        kind = self.draw.randrange(3)
        if kind == 0:
            return paired.coalesce(self.value(of, depth - 1), self.leaf(of), self.leaf(of))
        if kind == 1:
            return paired.conditional(self.condition(depth - 1), self.value(of, depth - 1), self.leaf(of))
        branches = [(self.condition(depth - 1), self.leaf(of)) for _ in range(self.draw.randint(1, 3))]
        return paired.case(branches, self.value(of, depth - 1) if self.draw.random() < 0.7 else None)

    def integer(self, of: Type, depth: int) -> Pair | None:
        kind = self.draw.randrange(6)
        if kind == 0:
            return paired.modulo(self.value(of, depth - 1), self.leaf(of))
        if kind == 1:
            return paired.negate(self.value(of, depth - 1))
        if kind == 2:
            source = self.draw.choice([INT16, INT32, DOUBLE, BOOL, DEC5, DEC18])
            return paired.cast(self.leaf(source), of)
        if kind == 3 and of == INT32:
            day = self.value(TYPES[self.draw.choice(["day", "day", "ts", "tsn"])], depth - 1)
            return paired.date_part(self.draw.choice(["YEAR", "MONTH", "DAY"]), day)
        operator = self.draw.choice(["ADD", "SUBTRACT", "MULTIPLY"])
        return paired.arithmetic(operator, self.value(of, depth - 1), self.value(of, depth - 1))

    def double(self, depth: int) -> Pair | None:
        kind = self.draw.randrange(4)
        if kind == 0:
            return paired.divide(self.value(INT64, depth - 1), self.leaf(INT64))
        if kind == 1:
            source = self.draw.choice([TYPES["f32"], INT32, INT64, DEC5, DEC18])
            return paired.cast(self.leaf(source), DOUBLE)
        operator = self.draw.choice(["ADD", "SUBTRACT", "MULTIPLY"])
        return paired.arithmetic(operator, self.leaf(DOUBLE), self.leaf(DOUBLE))

    def decimal(self, of: Type) -> Pair:
        """Of exactly this type: a column, or integers and narrower decimals cast to it."""
        if of == DEC18 and self.draw.random() < 0.6:
            return paired.cast(self.leaf(self.draw.choice([INT32, DEC5])), of)
        return self.leaf(of)

    def wide_decimal(self) -> Pair:
        """Of any type that arithmetic of decimals gives."""
        left, right = self.leaf(self.draw.choice([DEC5, DEC18])), self.leaf(self.draw.choice([DEC5, DEC18]))
        return paired.arithmetic(self.draw.choice(["ADD", "SUBTRACT", "MULTIPLY"]), left, right) or left

    def condition(self, depth: int) -> Pair:
        kind = self.draw.randrange(10)
        if depth > 0 and kind < 4:
            if kind == 0:
                return paired.negation(self.condition(depth - 1))
            return paired.logic(self.draw.choice(["AND", "OR"]), self.condition(depth - 1), self.condition(depth - 1))
        if kind == 4:
            return self.leaf(BOOL)
        of = self.draw.choice(list(TYPES.values()))
        if kind == 5:
            return paired.null_test(self.value(of, depth and depth - 1), self.draw.random() < 0.5)
        if kind == 6:
            return self.membership(of)
        if kind == 7:
            return self.text_condition()
        if kind == 8:
            return self.between(of)
        left = self.value(of, depth and depth - 1)
        return paired.compare(self.draw.choice(COMPARISONS), left, self.leaf(of))

    def between(self, of: Type) -> Pair:
        if self.draw.random() < 0.3:
            return paired.between(self.leaf(of), self.leaf(of), self.leaf(of))
        low, high = sorted((self.constant(of), self.constant(of)))
        return paired.between(self.leaf(of), paired.literal(low, of), paired.literal(high, of))

    def membership(self, of: Type) -> Pair:
        items = [self.constant(of) for _ in range(self.draw.choice([1, 3, 40]))]
        if self.draw.random() < 0.25:
            items.append(None)
        return paired.in_list(self.leaf(of), items, self.draw.random() < 0.3)

    def text_condition(self) -> Pair:
        column = self.column_of(TYPES["s"]) or self.leaf(TYPES["s"])
        if self.draw.random() < 0.2:
            column = paired.substring(column, self.draw.randint(1, 2), 2)
        if self.draw.random() < 0.5:
            patterns = ["a%", "%b%", "_b%", "%c", "abc", "%", "", "%1_", "A 100%match", "_本%", "na_ve%"]
            return paired.like(column, self.draw.choice(patterns), self.draw.random() < 0.3)
        return paired.text_test(self.draw.choice(["STARTS_WITH", "ENDS_WITH", "CONTAINS"]), column,
                                self.draw.choice(["a", "ab", "", "1", "日", "x" * 40]))


@dataclass
class RandomQuery:
    """Built step by step; the SQL of each step is a SELECT over the SQL of the one before."""

    draw: random.Random
    data: Data
    command: Command = field(default_factory=Command)
    scope: list[Pair] = field(default_factory=list)
    at: int = 0
    sql: str = ""
    ordered: bool = False

    @property
    def expressions(self) -> Expressions:
        return Expressions(self.draw, self.scope, self.data.values)

    def draw_with_rows(self, make):
        """What make() draws, a SELECT last; again where no row is left: an empty answer shows little."""
        for _ in range(6):
            made = make()
            if self.data.has_rows(made[-1]) or self.draw.random() < 0.03:
                break
        return made

    def scan(self):
        files = self.data.facts[:self.draw.randint(1, len(self.data.facts))]
        self.at = self.command.scan(*files)
        self.sql = f"SELECT * FROM read_parquet({[str(file) for file in files]})"
        self.scope = fact_columns()

    def draw_filter(self) -> tuple[list[Pair], str]:
        conditions = [self.expressions.condition(self.draw.randint(0, 3)) for _ in range(self.draw.randint(1, 2))]
        return conditions, f"SELECT * FROM ({self.sql}) WHERE {' AND '.join(c.sql for c in conditions)}"

    def filter(self):
        conditions, self.sql = self.draw_with_rows(self.draw_filter)
        self.at = self.command.filter(self.at, *(condition.json for condition in conditions))

    def draw_outputs(self, stem: str) -> dict[str, Pair]:
        outputs = {}
        for i in range(self.draw.randint(1, 5)):
            of = self.draw.choice(list(TYPES.values()))
            made = self.expressions.wide_decimal() if self.draw.random() < 0.1 else self.expressions.value(of, 3)
            outputs[f"{stem}{i}"] = made
        return outputs

    def replace_columns(self, outputs: dict[str, Pair]):
        self.at = self.command.map(self.at, **{name: pair.json for name, pair in outputs.items()})
        listed = ", ".join(f'{pair.sql} AS "{name}"' for name, pair in outputs.items())
        self.sql = f"SELECT {listed} FROM ({self.sql})"
        self.scope = [paired.column(name, pair.type, pair.bound) for name, pair in outputs.items()]

    def map(self):
        kept = {column.json["column"]["name"]: column for column in self.draw.sample(self.scope, 12)}
        identity = {"id": self.scope[0]} if self.scope[0].json["column"]["name"] == "id" else {}
        self.replace_columns(identity | kept | self.draw_outputs("m"))

    def draw_join(self, dims: list[Pair]) -> tuple[str, list[tuple[Pair, Pair]], str]:
        kind = self.draw.choice(["INNER", "INNER", "LEFT_SEMI", "LEFT_ANTI", "LEFT_OUTER"])
        pairs = self.draw_join_keys(dims)
        condition = " AND ".join(f"l.{left.sql} = r.{key.sql}" for left, key in pairs) or "true"
        build = f"read_parquet('{self.data.dims}') r"
        if kind == "INNER":
            return kind, pairs, f"SELECT l.*, r.* FROM ({self.sql}) l, {build} WHERE {condition}"
        if kind == "LEFT_OUTER":
            return kind, pairs, f"SELECT l.*, r.* FROM ({self.sql}) l LEFT JOIN {build} ON {condition}"
        word = "EXISTS" if kind == "LEFT_SEMI" else "NOT EXISTS"
        return kind, pairs, f"SELECT * FROM ({self.sql}) l WHERE {word} (SELECT 1 FROM {build} WHERE {condition})"

    def join(self):
        dims = dim_columns()
        kind, pairs, sql = self.draw_with_rows(lambda: self.draw_join(dims))
        if not pairs:
            return
        build = "LEFT" if kind == "INNER" and self.draw.random() < 0.2 else "RIGHT"
        self.at = self.command.join(kind, self.at, self.command.scan(self.data.dims), [left.json for left, _ in pairs],
                                    [key.json for _, key in pairs], build)
        self.sql = sql
        if kind in ("INNER", "LEFT_OUTER"):
            self.scope = self.scope + dims

    def draw_join_keys(self, dims: list[Pair]) -> list[tuple[Pair, Pair]]:
        pairs = []
        for _ in range(self.draw.choice([1, 1, 1, 2, 3])):
            left = self.draw.choice(self.scope)
            fitting = [key for key in dims if key.type == left.type]
            if left.type.kind != "BOOL" and fitting:
                pairs.append((left, self.draw.choice(fitting)))
        return pairs

    def aggregate(self):
        keys = {}
        for i in range(self.draw.choice([0, 1, 1, 2, 3])):
            key = self.draw.choice(self.scope)
            if self.draw.random() < 0.3:
                key = self.expressions.value(self.draw.choice([INT32, INT64, TYPES["day"], BOOL, TYPES["s"]]), 2)
            keys[f"k{i}"] = key
        calls, parts, outputs = self.draw_aggregates()
        self.at = self.command.aggregate(self.at, {name: key.json for name, key in keys.items()}, calls)
        listed = [f'{key.sql} AS "{name}"' for name, key in keys.items()]
        groups = f" GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}" if keys else ""
        self.sql = f"SELECT {', '.join(listed + parts)} FROM ({self.sql}){groups}"
        self.scope = [paired.column(name, key.type, key.bound) for name, key in keys.items()] + outputs
        return list(keys)

    def draw_aggregates(self):
        calls, parts, outputs = [], [], []
        for i in range(self.draw.randint(1, 4)):
            function = self.draw.choice(["SUM", "COUNT", "MIN", "MAX", "AVG", "COUNT_ALL"])
            of = self.draw.choice(self.aggregated_types(function))
            argument = None if function == "COUNT_ALL" else self.expressions.value(of, 2)
            call, sql = paired.aggregate(function, argument, f"a{i}")
            calls.append(call)
            parts.append(sql)
            outputs.append(paired.column(f"a{i}", DOUBLE if function == "AVG" else of))
        return calls, parts, outputs

    @staticmethod
    def aggregated_types(function: str) -> list[Type]:
        numbers = [of for of in TYPES.values() if of.kind in (*BOUNDS, "DECIMAL")]
        if function in ("SUM", "AVG"):
            return numbers
        return [of for of in TYPES.values() if of.kind != "BINARY" or function == "COUNT"]

    def sort(self, keys: list[str], total: bool):
        """'total' says that the keys tell all rows apart: only then is there one right order."""
        shapes = [(name, self.draw.random() < 0.5, self.draw.choice(["FIRST", "LAST"])) for name in keys]
        json = [sort_key(paired.column(name, BOOL).json, descending, nulls) for name, descending, nulls in shapes]
        order = ", ".join(f'"{name}" {"DESC" if descending else "ASC"} NULLS {nulls}'
                          for name, descending, nulls in shapes)
        self.ordered = total
        count, offset = self.draw.choice([1, 10, 500]), self.draw.choice([0, 0, 3])
        kind = self.draw.randrange(3) if total else 0
        if kind == 1:
            self.at = self.command.top_n(self.at, json, count, offset)
        else:
            self.at = self.command.sort(self.at, *json)
        if kind == 2:
            self.at = self.command.limit(self.at, count, offset)
        limit = f" LIMIT {count} OFFSET {offset}" if kind else ""
        self.sql = f"SELECT * FROM ({self.sql}) ORDER BY {order}{limit}"


def make_query(seed: int, data: Data) -> RandomQuery:
    draw = random.Random(seed)
    query = RandomQuery(draw, data)
    query.scan()
    mapped = joined_inner = False
    for _ in range(draw.randint(0, 3)):
        step = draw.choice(["filter", "filter", "map", "join"])
        if step == "filter":
            query.filter()
        elif step == "map" and not mapped and not joined_inner:
            query.map()
            mapped = True
        elif step == "join" and not joined_inner:
            before = len(query.scope)
            query.join()
            joined_inner = len(query.scope) > before
    if draw.random() < 0.6:
        keys = query.aggregate()
        if keys and draw.random() < 0.6:
            query.sort(keys, total=True)
    else:
        names = {"id": query.scope[0]} | query.draw_outputs("o")
        query.replace_columns(names)
        if draw.random() < 0.5:
            # After an inner join an id may come several times.
            first = draw.choice(list(names)[1:])
            query.sort([first, "id"], total=not joined_inner)
    return query
