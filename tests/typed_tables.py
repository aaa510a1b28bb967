# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Parquet files that hold every type, with no, some and only nulls, in several files, row groups and encodings."""

import random
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from commands import (BINARY, BOOL, DATE, DOUBLE, FLOAT, INT8, INT16, INT32, INT64, STRING, TIMESTAMP, TIMESTAMP_NTZ,
                      Type, decimal)

DEC5, DEC18, DEC38 = decimal(5, 2), decimal(18, 4), decimal(38, 10)
# Short names of columns; "_n" after them: a third is null, "_z": all are.
TYPES = {"b": BOOL, "i8": INT8, "i16": INT16, "i32": INT32, "i64": INT64, "f32": FLOAT, "f64": DOUBLE, "d5": DEC5,
         "d18": DEC18, "d38": DEC38, "day": DATE, "ts": TIMESTAMP, "tsn": TIMESTAMP_NTZ, "s": STRING, "bin": BINARY}
WORDS = ["", "a", "ab", "abc", "b", "Zebra", "naïve", "日本", "x" * 40, "A 100% match", "under_score"]


def arrow_type(of: Type) -> pa.DataType:
    if of.kind == "DECIMAL":
        return pa.decimal128(of.precision, of.scale)
    return {"BOOL": pa.bool_(), "INT8": pa.int8(), "INT16": pa.int16(), "INT32": pa.int32(), "INT64": pa.int64(),
            "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us", "UTC"),
            "TIMESTAMP_NTZ": pa.timestamp("us"), "STRING": pa.string(), "BINARY": pa.binary()}[of.kind]


def draw_value(draw: random.Random, of: Type):
    """Small enough that sums and products of a few stay far from every overflow; floats are exact halves and quarters,
    so that their sums do not depend on the order of rows."""
    if of.kind == "BOOL":
        return draw.random() < 0.5
    if of.kind in ("INT8", "INT16", "INT32", "INT64"):
        bound = {"INT8": 127, "INT16": 300, "INT32": 1000, "INT64": 100_000}[of.kind]
        return draw.randint(-bound, bound)
    if of.kind in ("FLOAT", "DOUBLE"):
        return draw.randint(-4000, 4000) / 4
    if of.kind == "DECIMAL":
        bound = {5: 99_999, 18: 10**8, 38: 10**20}[of.precision]
        return Decimal(draw.randint(-bound, bound)).scaleb(-of.scale)
    if of.kind == "DATE":
        return draw.randint(-800, 20_000)
    if of.kind in ("TIMESTAMP", "TIMESTAMP_NTZ"):
        return draw.randint(-10**6, 10**6) * 86_400_000_000 // 1000 + draw.randint(0, 999)
    if of.kind == "STRING":
        return draw.choice(WORDS) + (str(draw.randint(0, 99)) if draw.random() < 0.5 else "")
    return bytes(draw.randint(0, 255) for _ in range(draw.randint(0, 3)))


def values_in(path: Path) -> dict[Type, list]:
    """What a file of facts holds of each type, as draw_value gives it."""
    table = pq.read_table(path, columns=list(TYPES))
    plain = {"DATE": pa.int32(), "TIMESTAMP": pa.int64(), "TIMESTAMP_NTZ": pa.int64()}
    return {of: table[name].cast(plain.get(of.kind, table[name].type)).to_pylist() for name, of in TYPES.items()}


def make_column(draw: random.Random, of: Type, rows: int, null_share: float, partners: list | None = None) -> pa.Array:
    """Half of the values are partners, where there are any, so that a join finds them."""
    def draw_partner():
        return draw.choice(partners) if partners and draw.random() < 0.5 else draw_value(draw, of)

    values = [None if draw.random() < null_share else draw_partner() for _ in range(rows)]
    return pa.array(values, arrow_type(of))


def make_typed_table(draw: random.Random, first_id: int, rows: int) -> pa.Table:
    columns = {"id": pa.array(range(first_id, first_id + rows), pa.int64())}
    for name, of in TYPES.items():
        for suffix, share in {"": 0, "_n": 1 / 3, "_z": 1}.items():
            columns[name + suffix] = make_column(draw, of, rows, share)
    return pa.table(columns)


def write_facts(folder: Path, seed: int = 7, rows: int = 4000) -> list[Path]:
    """Three files with different encodings, compressions and row groups."""
    draw = random.Random(seed)
    shapes = [{"use_dictionary": True, "row_group_size": 1500, "compression": "snappy"},
              {"use_dictionary": False, "row_group_size": 1000, "compression": "zstd", "data_page_size": 4096},
              {"use_dictionary": ["s", "i32", "d18_n"], "compression": "none", "data_page_version": "2.0"}]
    paths = []
    for index, shape in enumerate(shapes):
        path = folder / f"facts-{index}.parquet"
        pq.write_table(make_typed_table(draw, index * rows, rows), path, **shape)
        paths.append(path)
    return paths


def write_dims(folder: Path, facts: Path, seed: int = 11) -> Path:
    """Few rows; "key" is unique, every other column has values twice or more, and nulls where its name ends in _n."""
    draw = random.Random(seed)
    partners = values_in(facts)
    columns = {"key": pa.array(draw.sample(range(-1000, 1001), 700), pa.int32())}
    for name in ("i8", "i16", "i32", "i64", "d5", "d18", "d38", "day", "ts", "tsn", "s", "b", "f64", "bin"):
        for suffix, share in {"": 0, "_n": 0.2}.items():
            columns["r_" + name + suffix] = make_column(draw, TYPES[name], 700, share, partners[TYPES[name]])
    path = folder / "dims.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=300)
    return path


def write_big(folder: Path, seed: int = 13, rows: int = 1_300_000) -> Path:
    """More than one segment, 150,000 integer keys far apart, and strings too many for a dictionary."""
    numbers = random.Random(seed)
    keys = [numbers.getrandbits(62) - (1 << 61) for _ in range(150_000)]
    step = [(i * 7919 + 3) % 150_000 for i in range(rows)]
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "k": pa.array((keys[i] for i in step), pa.int64()),
        "text": pa.array((f"customer#{i * 31 % 400_009}" for i in range(rows)), pa.string()),
        "v": pa.array((i * 37 % 2001 - 1000 for i in range(rows)), pa.int32()),
        "v_n": pa.array((None if i % 5 == 0 else i % 1001 for i in range(rows)), pa.int32()),
        "d18": pa.array((Decimal(i % 99_991).scaleb(-4) for i in range(rows)), pa.decimal128(18, 4)),
    }
    path = folder / "big.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=400_000)
    return path
