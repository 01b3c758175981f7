"""A job for Spark: a folder of compressed logs to a table of verdicts.

Each line of the logs is a bid request. Spark sends the lines through "rtbwire filter", which answers
each with the request and its verdict, in order: one process for each part of the data, on every
machine. The table counts requests by publisher, action and reason, and is written as Parquet.

    spark-submit verdicts.py --input 'logs/*.ndjson.gz' --output verdicts
"""

import argparse
import shlex
import shutil
import sys

from pyspark.sql import SparkSession, functions as F

# What the job reads of a request. Spark skips the rest. A line that is no request has its verdict
# in place of the request: then action and reason are at the top.
REQUEST = """
    action string, reason string,
    site struct<publisher: struct<id: string>>,
    app struct<publisher: struct<id: string>>,
    dooh struct<publisher: struct<id: string>>,
    ext struct<rtbwire: struct<action: string, reason: string>>
"""


def table(spark, path, command):
    """Return requests by publisher, action and reason."""
    lines = spark.sparkContext.textFile(path)
    # A failure of the command fails the task; without checkCode the rest of the part would be lost
    # silently.
    judged = lines.pipe(command, checkCode=True)
    rows = spark.read.schema(REQUEST).json(judged)
    publisher = F.coalesce(*[
        F.when(F.col(name) != "", F.col(name))
        for name in ("site.publisher.id", "app.publisher.id", "dooh.publisher.id")
    ])
    return (
        rows.select(
            publisher.alias("publisher"),
            F.coalesce("ext.rtbwire.action", "action").alias("action"),
            F.coalesce("ext.rtbwire.reason", "reason").alias("reason"),
        )
        .groupBy("publisher", "action", "reason")
        .agg(F.count("*").alias("requests"))
        .orderBy(F.desc("requests"), "publisher", "reason")
    )


def main(args):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", required=True, help="files with a request in each line; .gz and .zst are unpacked")
    parser.add_argument("--output", required=True, help="folder of the table, which is replaced")
    parser.add_argument("--rtbwire", default="rtbwire", help="the program, which every machine has at the same path")
    parser.add_argument("--config", help="configuration of rtbwire, on every machine")
    options = parser.parse_args(args)

    # Spark runs a task on each core already, so one job for each. Commands of pipe have no PATH.
    command = [shutil.which(options.rtbwire) or options.rtbwire, "filter", "--jobs", "1"]
    if options.config:
        command += ["--config", options.config]
    spark = SparkSession.builder.appName("rtbwire verdicts").getOrCreate()
    counted = table(spark, options.input, shlex.join(command))
    counted.coalesce(1).write.mode("overwrite").parquet(options.output)
    spark.read.parquet(options.output).show(20, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
