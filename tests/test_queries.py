# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Answers equal DuckDB's, for queries written by hand; and what only Spark's rules explain has its own numbers."""

from decimal import Decimal

import commands
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import (MODES, NOT_FOR_A_GPU, ROUNDS, check_answer, check_gpu_share, check_rows, check_sorts, replay,
                     rows_of)
from commands import DOUBLE, INT8, INT32, INT64, Command, aggregate_call, call, cast, column, decimal, literal
from query_cases import all_cases
from typed_tables import WORDS


@pytest.mark.parametrize("mode", MODES)
def test_written_queries(program, tables, duck, tmp_path, mode):
    cases = all_cases(tables)
    answers = replay(program, tmp_path, {name: case.command for name, case in cases.items()}, *MODES[mode],
                     rounds=ROUNDS[mode])
    if mode != "cpu":
        check_gpu_share(answers, mode, {"gpu": 0.98, "mixed": 0.98}[mode])
    if mode == "gpu":
        check_sorts(answers, 0.7)
    wrong = []
    for name, case in cases.items():
        try:
            check_answer(answers[name], duck, case.sql, case.ordered)
        except AssertionError as difference:
            wrong.append(f"{name}: {str(difference)[:1000]}")
    assert not wrong, "\n".join(wrong)


# Few rows are not for both at once.
ONE_OR_THE_OTHER = ["cpu", "gpu"]


@pytest.fixture(params=ONE_OR_THE_OTHER)
def ask(request, program, tmp_path):
    """Maps expressions over a table of one or few rows, and answers with the rows."""
    def run(table: pa.Table, settings: dict | None = None, **expressions):
        pq.write_table(table, tmp_path / "t.parquet")
        command = Command(settings or {})
        command.map(command.scan(tmp_path / "t.parquet"), **expressions)
        answer = replay(program, tmp_path / "run", {"q": command}, *MODES[request.param])["q"]
        reasons = [pipeline["reason"] for pipeline in answer.report.get("pipelines", []) if "reason" in pipeline]
        assert request.param == "cpu" or all(why.startswith(NOT_FOR_A_GPU) for why in reasons), reasons
        return answer.error or rows_of(answer.table)
    return run


LIMITS = pa.table({"i8": pa.array([127], pa.int8()), "i32": pa.array([2**31 - 1], pa.int32()),
                   "i64": pa.array([2**63 - 1], pa.int64()), "zero": pa.array([0], pa.int32()),
                   "half": pa.array([Decimal("2.50")], pa.decimal128(5, 2)), "big": pa.array([1e300]),
                   "minus": pa.array([-1.9]), "wide": pa.array([Decimal(10**37)], pa.decimal128(38, 0))})


def test_integers_wrap(ask):
    assert ask(LIMITS, i8=call("ADD", column("i8"), literal(1, INT8)), i32=call("ADD", column("i32"), literal(1, INT32)),
               i64=call("MULTIPLY", column("i64"), literal(2, INT64)),
               i32n=call("NEGATE", call("ADD", column("i32"), literal(1, INT32)))) == [(-128, -2**31, -2, -2**31)]


@pytest.mark.parametrize("expression, code", [
    (call("ADD", column("i32"), literal(1, INT32)), "SVM-4003"),
    (call("MULTIPLY", column("i64"), literal(2, INT64)), "SVM-4003"),
    (call("DIVIDE", column("i32"), column("zero")), "SVM-4004"),
    (call("MODULO", column("i32"), column("zero")), "SVM-4004"),
    (cast(column("i32"), INT8), "SVM-4005"),
    (cast(column("big"), INT32), "SVM-4005"),
])
def test_ansi_fails_where_there_is_no_result(ask, expression, code):
    assert code in ask(LIMITS, {"ansi": True}, x=expression)


def test_a_guarded_error_is_not_raised(ask):
    guarded = commands.case([(call("NOT_EQUAL", column("zero"), literal(0, INT32)),
                              call("DIVIDE", column("i32"), column("zero")))], literal(7.0, DOUBLE))
    assert ask(LIMITS, {"ansi": True}, x=guarded) == [(7.0,)]


def test_no_result_is_null(ask):
    assert ask(LIMITS, a=call("DIVIDE", column("i32"), column("zero")), b=call("MODULO", column("i32"), column("zero")),
               c=cast(column("wide"), decimal(10, 2)), d=call("DIVIDE", column("half"), cast(column("zero"), decimal(5, 2))),
               e=call("ADD", column("i32"), literal(1, INT32), mode="TRY")) == [(None,) * 5]


def test_casts_cut_fractions_and_clamp(ask):
    assert ask(LIMITS, a=cast(column("minus"), INT32), b=cast(column("half"), INT32), c=cast(column("big"), INT32),
               d=cast(column("i32"), INT8)) == [(-1, 2, 2**31 - 1, -1)]


def test_decimals_divide_and_round_half_up(ask):
    rows = ask(LIMITS, third=call("DIVIDE", column("half"), cast(literal(3, INT32), decimal(5, 2))),
               one=cast(column("half"), decimal(4, 0)), minus=cast(call("NEGATE", column("half")), decimal(4, 0)))
    assert rows == [(Decimal("0.83333333"), Decimal(3), Decimal(-3))]


# A division that could overflow is refused, so none does: the widest that is not has room for its largest quotient.
def test_decimals_divide_without_overflow_under_ansi(ask):
    ansi = {"ansi": True}
    table = pa.table({"most": pa.array([Decimal("9" * 28 + ".99")], pa.decimal128(30, 2)),
                      "least": pa.array([Decimal("0.01")], pa.decimal128(5, 2)),
                      "none": pa.array([Decimal(0)], pa.decimal128(5, 2)),
                      "wide": pa.array([Decimal(10**37)], pa.decimal128(38, 0)),
                      "tiny": pa.array([Decimal("1E-38")], pa.decimal128(38, 38))})
    assert ask(table, ansi, x=call("DIVIDE", column("most"), column("least"))) == [(Decimal(10**30 - 1),)]
    assert "SVM-4004" in ask(table, ansi, x=call("DIVIDE", column("most"), column("none")))
    assert ask(table, ansi, x=call("DIVIDE", column("wide"), column("wide"))) == [(Decimal(1),)]
    assert "SVM-4003" in ask(table, ansi, x=call("DIVIDE", column("wide"), column("least")))
    error = ask(table, ansi, x=call("DIVIDE", column("wide"), column("tiny")))
    assert "SVM-2005" in error and "more than 76 digits" in error


@pytest.mark.parametrize("mode", ONE_OR_THE_OTHER)
def test_the_average_of_decimals_is_exact(program, tmp_path, mode):
    values = [Decimal("0.01"), Decimal("0.02"), Decimal("0.02"), None]
    pq.write_table(pa.table({"x": pa.array(values, pa.decimal128(5, 2))}), tmp_path / "t.parquet")
    command = Command()
    command.aggregate(command.scan(tmp_path / "t.parquet"), {}, [aggregate_call("AVG", column("x"), "a")])
    answer = replay(program, tmp_path / "run", {"q": command}, *MODES[mode])["q"].table
    assert answer.schema.field("a").type == pa.decimal128(9, 6)
    assert answer["a"].to_pylist() == [Decimal("0.016667")]


@pytest.mark.parametrize("mode", ONE_OR_THE_OTHER)
def test_nan_is_one_value_and_the_largest(program, tmp_path, mode):
    nan = float("nan")
    pq.write_table(pa.table({"x": [1.0, nan, None, float("inf"), nan, -0.0, 0.0]}), tmp_path / "t.parquet")
    ordered, extremes = Command(), Command()
    ordered.sort(ordered.scan(tmp_path / "t.parquet"), commands.sort_key(column("x"), True, "LAST"))
    extremes.aggregate(extremes.scan(tmp_path / "t.parquet"), {}, [
        aggregate_call("MIN", column("x"), "low"), aggregate_call("MAX", column("x"), "high")])
    answers = replay(program, tmp_path / "run", {"ordered": ordered, "extremes": extremes}, *MODES[mode])
    check_rows(rows_of(answers["ordered"].table), [(nan,), (nan,), (float("inf"),), (1.0,), (0.0,), (0.0,), (None,)],
               True, "order")
    check_rows(rows_of(answers["extremes"].table), [(0.0, nan)], True, "extremes")


@pytest.mark.parametrize("mode", ONE_OR_THE_OTHER)
def test_any_column_name_will_do(program, tmp_path, duck, mode):
    """Names are the user's: words of C++, verbs of kernels, locals of generated text, other alphabets."""
    names = ["i64", "int", "sum_i64", "out_0", "valid_1", "value_0", "literal_0", "e1", "t_row", "keep", "linux", "call",
             "année", "a b", "1st", "_x", "__LINE__", "or", "a-b", "a_b", "Tile", "x" * 300, "t", "group", "year_of_days"]
    table = pa.table({name: pa.array([i, None, i + 2], pa.int32()) for i, name in enumerate(names)})
    pq.write_table(table, tmp_path / "t.parquet")
    first, second = Command(), Command()
    kept = first.filter(first.scan(tmp_path / "t.parquet"), *(
        call("LESS", call("ADD", column(name), literal(0, INT32)), literal(100, INT32)) for name in names))
    first.sort(kept, commands.sort_key(column("int")))
    second.aggregate(second.scan(tmp_path / "t.parquet"), {"i64": column("i64"), "out_0": column("out_0")},
                     [aggregate_call("SUM", column(name), name) for name in names])
    answers = replay(program, tmp_path / "run", {"first": first, "second": second}, *MODES[mode])
    file = tmp_path / "t.parquet"
    check_answer(answers["first"], duck, f"SELECT * FROM '{file}' WHERE \"int\" IS NOT NULL ORDER BY \"int\"", True)
    sums = ", ".join(f'CAST(sum("{name}") AS BIGINT)' for name in names)
    check_answer(answers["second"], duck, f'SELECT "i64", "out_0", {sums} FROM \'{file}\' GROUP BY 1, 2')


@pytest.mark.parametrize("mode", ONE_OR_THE_OTHER)
def test_a_parquet_sink_holds_the_answer(program, tables, duck, tmp_path, mode):
    command = Command()
    command.sink(command.filter(command.scan(*tables.facts), call("IS_NOT_NULL", column("i8_n"))), tmp_path / "o.parquet")
    answer = replay(program, tmp_path / "run", {"q": command}, *MODES[mode])["q"]
    assert answer.table.num_rows == 0
    files = [str(path) for path in tables.facts]
    written = duck.execute(f"SELECT * FROM '{tmp_path / 'o.parquet'}'").to_arrow_table()
    expected = duck.execute(f"SELECT * FROM read_parquet({files}) WHERE i8_n IS NOT NULL").to_arrow_table()
    check_rows(rows_of(written), rows_of(expected), False, "sink")


def test_threads_memory_and_repetition_change_nothing(program, tables, tmp_path):
    command = Command()
    command.aggregate(command.scan(tables.big), {"k": column("text")}, [aggregate_call("SUM", column("v"), "s")])
    digests = set()
    for options in (("--threads", 1), ("--threads", 3), ("--memory", "400M")):
        answers = replay(program, tmp_path, {"a": command, "b": command}, *options)
        assert not answers["a"].error, answers["a"].error
        digests |= {answer.report["digest"] for answer in answers.values()}
    assert len(digests) == 1


def test_a_limit_takes_so_many_rows(program, tables, tmp_path):
    command = Command()
    command.limit(command.scan(*tables.facts), 17, 3)
    assert replay(program, tmp_path, {"q": command})["q"].report["rows"] == 17


def test_texts_survive(ask):
    assert [row[0] for row in ask(pa.table({"s": WORDS}), s=column("s"))] == WORDS
