# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The ways in which a program asks for rows. Each takes another way through Spark, so each is tried on and off."""

import pytest

GROUPS = """
SELECT d_year, lo_discount, sum(lo_revenue) AS revenue, count(*) AS orders
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND lo_quantity < 30
GROUP BY d_year, lo_discount
"""
SORTED = GROUPS + "ORDER BY d_year, lo_discount"
MANY = """
SELECT lo_orderkey, lo_linenumber, lo_revenue, d_dayofweek
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND lo_discount = 4
"""

DOORS = {
    "collect": lambda frame: frame.collect(),
    "count": lambda frame: frame.count(),
    "take": lambda frame: frame.take(5),
    "take more than there are": lambda frame: frame.take(100_000),
    "first": lambda frame: frame.first(),
    "tail": lambda frame: frame.tail(3),
    "is empty": lambda frame: frame.isEmpty(),
    "show": lambda frame: frame._jdf.showString(20, 20, False),
    "limit": lambda frame: frame.limit(7).collect(),
    "local iterator": lambda frame: list(frame.toLocalIterator()),
    "pandas": lambda frame: frame.toPandas().to_dict("records"),
    "rdd": lambda frame: frame.rdd.map(tuple).collect(),
    "filter above": lambda frame: frame.where("d_year = 1995").collect(),
}


@pytest.fixture(params=["true", "false"], ids=["adaptive", "not adaptive"])
def adaptive(request, spark):
    spark.conf.set("spark.sql.adaptive.enabled", request.param)
    yield
    spark.conf.unset("spark.sql.adaptive.enabled")


@pytest.fixture(autouse=True)
def arrow(spark):
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    spark.conf.set("spark.sql.execution.arrow.pyspark.fallback.enabled", "false")


@pytest.mark.parametrize("door", DOORS)
def test_sorted_rows(on_off, ssb_views, adaptive, door):
    expected = on_off.off(lambda: DOORS[door](on_off.session.sql(SORTED)))
    assert on_off.on_in_node(lambda: DOORS[door](on_off.session.sql(SORTED))) == expected


def sorted_rows(frame) -> list:
    return sorted(map(tuple, frame.collect()))


def test_an_answer_of_many_rows(on_off, ssb_views):
    expected = on_off.off(lambda: sorted_rows(on_off.session.sql(MANY)))
    assert len(expected) > 20_000
    assert on_off.on_in_node(lambda: sorted_rows(on_off.session.sql(MANY))) == expected
    assert on_off.on_in_node(lambda: sorted(map(tuple, on_off.session.sql(MANY).toLocalIterator()))) == expected
    frame = on_off.on_in_node(lambda: on_off.session.sql(MANY).toPandas())
    assert sorted(frame.itertuples(index=False, name=None)) == expected


def test_a_frame_collected_twice(on_off, ssb_views):
    frame = on_off.session.sql(SORTED)
    first = on_off.on_in_node(frame.collect)
    assert on_off.on_in_node(frame.collect) == first


def test_cache(on_off, ssb_views):
    expected = on_off.off(lambda: sorted_rows(on_off.session.sql(GROUPS)))
    frame = on_off.session.sql(GROUPS).cache()
    try:
        assert on_off.on_in_node(lambda: sorted_rows(frame)) == expected
        assert sorted_rows(frame.where("lo_discount = 3")) == [row for row in expected if row[1] == 3]
    finally:
        frame.unpersist()


@pytest.mark.parametrize("partitioned", [False, True])
def test_write(on_off, ssb_views, tmp_path, partitioned):
    session = on_off.session
    expected = on_off.off(lambda: sorted_rows(session.sql(GROUPS)))
    writer = session.sql(GROUPS).write
    if partitioned:
        writer = writer.partitionBy("lo_discount")
    on_off.on_in_node(lambda: writer.parquet(str(tmp_path / "written")))
    back = session.read.parquet(str(tmp_path / "written"))
    assert sorted_rows(back.select("d_year", "lo_discount", "revenue", "orders")) == expected


def test_for_each_partition(on_off, ssb_views):
    session = on_off.session
    expected = on_off.off(lambda: sum(row.revenue for row in session.sql(GROUPS).collect()))
    seen = session.sparkContext.accumulator(0)

    def add(rows):
        for row in rows:
            seen.add(row.revenue)

    on_off.on_in_node(lambda: session.sql(GROUPS).foreachPartition(add))
    assert seen.value == expected


def test_the_same_subquery_twice(on_off, ssb_views):
    report = on_off.check(f"SELECT * FROM ({GROUPS}) UNION ALL SELECT * FROM ({GROUPS})", ordered=False)
    assert report.accelerated > 0, report.text


def test_spark_goes_on_above_the_node(on_off, ssb_views):
    """percentile() is Spark's alone: it works on rows that the node has joined and grouped, after a shuffle."""
    sql = f"SELECT lo_discount, percentile(revenue, 0.5) AS p FROM ({GROUPS}) GROUP BY lo_discount ORDER BY lo_discount"
    report = on_off.check(sql)
    assert 0 < report.accelerated < report.operators, report.text
    assert any("-> Spark: " in line for line in report.lines_in_spark()), report.text


def test_python_functions_above_the_node(on_off, ssb_views):
    on_off.session.udf.register("twice", lambda value: value * 2, "bigint")
    report = on_off.check(f"SELECT d_year, twice(revenue) AS r FROM ({GROUPS})", ordered=False)
    assert 0 < report.accelerated < report.operators, report.text


def test_a_subquery_that_is_one_value(on_off, ssb_views):
    sql = f"SELECT d_year, revenue FROM ({GROUPS}) WHERE revenue > (SELECT avg(revenue) FROM ({GROUPS}))"
    report = on_off.check(sql, ordered=False)
    assert report.accelerated > 0, report.text


def test_create_table_as_select(on_off, ssb_views):
    session = on_off.session
    expected = on_off.off(lambda: sorted_rows(session.sql(GROUPS)))
    try:
        on_off.on_in_node(lambda: session.sql(f"CREATE TABLE made USING parquet AS {GROUPS}"))
        assert sorted_rows(session.table("made")) == expected
    finally:
        session.sql("DROP TABLE IF EXISTS made")
