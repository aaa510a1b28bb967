# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Commands in protobuf's JSON form, written by hand: proto/shadowvm/v1 says what each part means."""

import base64
import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path


@dataclass(frozen=True)
class Type:
    """A type of the wire contract, with its name in SQL."""

    kind: str
    precision: int = 0
    scale: int = 0

    @property
    def json(self) -> dict:
        shape = {"kind": f"TYPE_KIND_{self.kind}"}
        return shape | ({"precision": self.precision, "scale": self.scale} if self.kind == "DECIMAL" else {})

    @property
    def sql(self) -> str:
        return f"DECIMAL({self.precision},{self.scale})" if self.kind == "DECIMAL" else _SQL_NAMES[self.kind]


_SQL_NAMES = {
    "BOOL": "BOOLEAN", "INT8": "TINYINT", "INT16": "SMALLINT", "INT32": "INTEGER", "INT64": "BIGINT", "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE", "DATE": "DATE", "TIMESTAMP": "TIMESTAMPTZ", "TIMESTAMP_NTZ": "TIMESTAMP", "STRING": "VARCHAR",
    "BINARY": "BLOB",
}
BOOL, INT8, INT16, INT32, INT64, FLOAT, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING, BINARY = map(Type, _SQL_NAMES)


def decimal(precision: int, scale: int) -> Type:
    return Type("DECIMAL", precision, scale)


def literal_json(value, of: Type) -> dict:
    """A constant; None is the null of its type. Dates are days, time stamps microseconds."""
    result = {"type": of.json}
    if value is None:
        return result
    if of.kind == "BOOL":
        return result | {"boolValue": value}
    if of.kind in ("FLOAT", "DOUBLE"):
        text = {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, value)
        return result | {"doubleValue": "NaN" if value != value else text}
    if of.kind == "DECIMAL":
        unscaled = int(Decimal(value).scaleb(of.scale))
        return result | {"decimalValue": base64.b64encode(unscaled.to_bytes(16, "little", signed=True)).decode()}
    if of.kind == "STRING":
        return result | {"stringValue": value}
    if of.kind == "BINARY":
        return result | {"binaryValue": base64.b64encode(value).decode()}
    return result | {"intValue": str(value)}


def column(name: str) -> dict:
    return {"column": {"name": name}}


def literal(value, of: Type) -> dict:
    return {"literal": literal_json(value, of)}


def call(operator: str, *args: dict, mode: str = "") -> dict:
    result = {"operator": f"OPERATOR_{operator}", "args": list(args)}
    return {"call": result | ({"evalMode": f"EVAL_MODE_{mode}"} if mode else {})}


def cast(arg: dict, to: Type, mode: str = "") -> dict:
    return {"cast": {"arg": arg, "type": to.json} | ({"evalMode": f"EVAL_MODE_{mode}"} if mode else {})}


def case(branches: list[tuple[dict, dict]], otherwise: dict | None = None) -> dict:
    result = {"branches": [{"condition": condition, "value": value} for condition, value in branches]}
    return {"case": result | ({"otherwise": otherwise} if otherwise else {})}


def in_list(value: dict, items: list, of: Type, negated: bool = False) -> dict:
    return {"inList": {"value": value, "items": [literal_json(item, of) for item in items], "negated": negated}}


def like(value: dict, pattern: str, negated: bool = False) -> dict:
    return {"like": {"value": value, "pattern": pattern, "negated": negated}}


def named(name: str, expression: dict) -> dict:
    return {"name": name, "expression": expression}


def aggregate_call(function: str, argument: dict | None, name: str) -> dict:
    result = {"function": f"AGGREGATE_FUNCTION_{function}", "name": name}
    return result | ({"argument": argument} if argument else {})


def sort_key(expression: dict, descending: bool = False, nulls: str = "FIRST") -> dict:
    return {"expression": expression, "descending": descending, "nullOrder": f"NULL_ORDER_{nulls}"}


def listed(path, *partition_values: dict) -> dict:
    """A file as a planner sees it now, with constants for its partition fields."""
    seen = Path(path).stat()
    return {"path": str(path), "size": str(seen.st_size), "modifiedMs": str(seen.st_mtime_ns // 1_000_000),
            "partitionValues": list(partition_values)}


@dataclass
class Command:
    """Actions are added in order; each method answers with the id of what it added."""

    settings: dict = field(default_factory=dict)
    actions: list[dict] = field(default_factory=list)

    def add(self, kind: str, body: dict, *inputs: int) -> int:
        action = {"id": len(self.actions) + 1, "inputs": list(inputs), kind: body}
        self.actions.append(action)
        return action["id"]

    def scan(self, *paths, columns=()) -> int:
        return self.add("scan", {"files": {"paths": [str(path) for path in paths]}, "columns": list(columns)})

    def file_list(self, files: list, data: dict[str, Type], partitions: dict[str, Type] | None = None) -> int:
        """Files as listed() gives them. Every field may hold nulls."""
        fields = [[{"name": name, "type": of.json, "nullable": True} for name, of in group.items()]
                  for group in (data, partitions or {})]
        return self.add("scan", {"fileList": {"files": files, "dataFields": fields[0], "partitionFields": fields[1]}})

    def filter(self, of: int, *conditions: dict) -> int:
        return self.add("filter", {"conditions": list(conditions)}, of)

    def map(self, of: int, **expressions: dict) -> int:
        return self.add("map", {"expressions": [named(*pair) for pair in expressions.items()]}, of)

    def join(self, kind: str, left: int, right: int, left_keys: list[dict], right_keys: list[dict],
             build: str = "RIGHT") -> int:
        return self.add("join", {"kind": f"JOIN_KIND_{kind}", "leftKeys": left_keys, "rightKeys": right_keys,
                                 "buildSide": f"BUILD_SIDE_{build}"}, left, right)

    def aggregate(self, of: int, keys: dict[str, dict], aggregates: list[dict]) -> int:
        return self.add("aggregate", {"keys": [named(*key) for key in keys.items()], "aggregates": aggregates}, of)

    def sort(self, of: int, *keys: dict) -> int:
        return self.add("sort", {"keys": list(keys)}, of)

    def limit(self, of: int, count: int, offset: int = 0) -> int:
        return self.add("limit", {"count": count, "offset": offset}, of)

    def top_n(self, of: int, keys: list[dict], count: int, offset: int = 0) -> int:
        return self.add("topN", {"keys": keys, "count": count, "offset": offset}, of)

    def sink(self, of: int, path) -> int:
        return self.add("sink", {"parquet": {"path": str(path)}}, of)

    def text(self) -> str:
        """The last action is the root."""
        return json.dumps({"protocolVersion": 1, "settings": self.settings, "actions": self.actions,
                           "root": len(self.actions)})
