# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors

# %% [markdown]
# # A Spark session with ShadowVM
#
# The cells of this file run in any editor that knows `# %%`, in Jupyter through jupytext, or all at once:
#
#     make dist && .venv/bin/python examples/spark_notebook.py

# %%
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROOT = Path(__file__).resolve().parent.parent

# %% [markdown]
# ## Turning it on
#
# One jar and one line. Everything else of the session is as you have it today.

# %%
spark = (
    SparkSession.builder.appName("notebook")
    .config("spark.jars", str(ROOT / "dist/jars/shadowvm-spark-3.5_2.12.jar"))
    .config("spark.plugins", "org.shadowvm.ShadowPlugin")  # the one line
    .config("spark.log.level", "WARN")
    .getOrCreate()
)

# %% [markdown]
# ## Some data
#
# A million sales of a hundred shops, as Parquet. (`spark.range` itself is Spark's: the node reads files.)

# %%
DATA = ROOT / "build/notebook"
(
    spark.range(1_000_000)
    .select(
        (F.col("id") % 100).cast("int").alias("shop"),
        F.date_add(F.lit("2025-01-01"), (F.col("id") % 365).cast("int")).alias("day"),
        (F.col("id") * 7919 % 10_000 / 100).cast("decimal(9,2)").alias("price"),
        F.concat(F.lit("article "), F.col("id") % 50).alias("article"),
    )
    .write.mode("overwrite").parquet(str(DATA / "sales"))
)
(
    spark.range(100)
    .select(F.col("id").cast("int").alias("shop"), F.concat(F.lit("town "), F.col("id") % 10).alias("town"))
    .write.mode("overwrite").parquet(str(DATA / "shops"))
)
sales = spark.read.parquet(str(DATA / "sales"))
shops = spark.read.parquet(str(DATA / "shops"))

# %% [markdown]
# ## A query, as always
#
# Nothing in it knows of ShadowVM.

# %%
by_town = (
    sales.join(shops, "shop")
    .where(F.col("article") != "article 13")
    .groupBy("town")
    .agg(F.sum("price").alias("turnover"), F.count("*").alias("sales"))
    .orderBy(F.desc("turnover"))
)
by_town.show()

# %% [markdown]
# ## Where it ran
#
# Operators whose names begin with `Shadow` ran in the node. The SQL tab of Spark's UI (`spark.sparkContext.uiWebUrl`)
# draws the same plan, with rows and times from the node.

# %%
by_town.explain()
print("Spark's UI:", spark.sparkContext.uiWebUrl)


# %% [markdown]
# The same as a report: one line for every operator, and the reason where one stays in Spark.

# %%
def report(frame):
    return spark._jvm.org.shadowvm.ShadowReport.of(frame._jdf).toString()


print(report(by_town))

# %% [markdown]
# ## What stays in Spark
#
# The node does what it can do exactly. A Python function is Spark's; it gets rows that the node has joined and grouped.

# %%
shout = F.udf(lambda town: town.upper() + "!", "string")
shouted = by_town.select(shout("town").alias("town"), "turnover")
shouted.collect()
print(report(shouted))


# %% [markdown]
# ## How long it takes
#
# The first run of a kind of query compiles its kernels and loads its columns; later runs find both. Every setting can be
# changed while Spark runs.

# %%
def milliseconds(frame):
    start = time.perf_counter()
    frame.collect()
    return (time.perf_counter() - start) * 1e3


for enabled in ("true", "false"):
    spark.conf.set("spark.shadowvm.enabled", enabled)
    query = sales.join(shops, "shop").groupBy("town").agg(F.avg("price"))
    print(f"spark.shadowvm.enabled={enabled}: {min(milliseconds(query.alias('q')) for _ in range(5)):.0f} ms")

# %%
spark.stop()
