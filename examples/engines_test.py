"""Tests of the examples for DuckDB, ClickHouse and Spark, on the engines themselves. scripts/engines.sh
runs it.

What "rtbwire check" writes is read by all three engines, row by row, and compared: with each other,
with the summary that check prints, and with the verdicts that the engines get from "rtbwire filter".
"""

import argparse
import collections
import glob
import gzip
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time

import chdb
import duckdb
import pyarrow.parquet
from pyspark.sql import SparkSession

EXAMPLES = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(EXAMPLES)

# Lines that are no request, or hardly one.
POISON = ['{"id":', "null", "[]", '"x"', "x", "[" * 50_000, '{"id":"\\u0000 ä 😀","imp":[]}', "{}", '{"id":"1"}{"id":"2"}']

PRESET = ["--preset", "admission"]  # the one that filter begins with
LINES = ["--type", "request", "--layout", "lines"]  # as filter reads
PIPE_TARGET = 1.2  # the longest time of pipe through filter, in that of pipe through cat

results = []  # of the table at the end


def note(what, value, detail=""):
    results.append((what, str(value), detail))
    print(f"   {what}: {value} {detail}", flush=True)


def same(what, got, want, detail=""):
    """Fail if two values differ."""
    if got != want:
        shown = f"{str(got)[:2000]}\nwant\n{str(want)[:2000]}"
        if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
            i = next(i for i in range(len(got)) if got[i] != want[i])
            shown = f"element {i}: {got[i]}\nwant\n{want[i]}"
        sys.exit(f"engines_test: {what}: got {shown}")
    note(what, "equal", detail)


def rtbwire(*args, statuses=(0,)):
    done = subprocess.run(["rtbwire", *args], stdout=subprocess.PIPE, cwd=ROOT)
    if done.returncode not in statuses:
        sys.exit(f"engines_test: rtbwire {' '.join(args)} ends with status {done.returncode}")
    return done.stdout


def example(name):
    with open(os.path.join(EXAMPLES, name)) as f:
        return f.read()


def by_reason(rows):
    """Return requests by reason, of rows of a reason and a number; "" is what is forwarded."""
    counted = collections.Counter()
    for reason, n in rows:
        counted[reason or ""] += int(n)
    return dict(counted)


# ---- data ----


def make_data(folder, requests):
    """Make a folder of logs, and return requests by reason: what check says, and what it is by line."""
    logs = os.path.join(folder, "logs")
    os.mkdir(logs)
    parts, left_out, empty = 4, 0, 0
    for i in range(parts):
        text = rtbwire("simulate", "--seed", "21", "--first", str(i * requests // parts), "--count", str(requests // parts),
                       "--defects", "5%", "--payloads", "1%", "--fraud", "2%")
        lines = text.split(b"\n")[:-1] + [line.encode() for line in POISON]
        kept = [line for line in lines if as_spark_reads_it(line)]
        left_out += len(lines) - len(kept)
        empty += sum(1 for line in kept if not line.strip())
        with gzip.open(f"{logs}/part-{i}.ndjson.gz", "wb", 1) as f:
            f.write(b"\n".join(kept) + b"\n")
    files = sorted(glob.glob(f"{logs}/*.gz"))
    verdicts = os.path.join(folder, "verdicts.parquet")
    rtbwire("check", *PRESET, *LINES, "--format", "parquet", "--fail-on", "never", "--output", verdicts, *files)
    said = json.loads(rtbwire("check", *PRESET, *LINES, "--payload", "--fraud", "--quiet", "--summary", "--format", "json",
                              "--fail-on", "never", *files))
    total = said["documents"]["requests"]
    want = by_reason((r["reason"], r["requests"]) for r in said["summary"]["verdicts"]["refused"])
    want[""] = total - sum(want.values())
    note("requests", f"{total:,}", f"{len(want)} different verdicts, {os.path.getsize(verdicts):,} bytes of Parquet; {empty} empty lines, {left_out} not in UTF-8 left out")
    if total + empty + left_out != requests // parts * parts + parts * len(POISON) or len(want) < 10 or want[""] < total // 2 or not empty:
        sys.exit(f"engines_test: the data shows little: {want}")
    # check finds no document in an empty line; filter has a verdict on each line.
    lines = dict(want)
    lines["json.empty"] = lines.get("json.empty", 0) + empty
    return want, lines


def as_spark_reads_it(line):
    """Spark replaces bytes that are not UTF-8, and ends lines at carriage returns too."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\r" not in line


def make_mixed(folder):
    """Make a table of the corpus, requests and responses, and of texts beyond ASCII. Return the findings of check by document."""
    beyond = os.path.join(folder, "größe.ndjson")
    with open(beyond, "w", encoding="utf-8") as f:
        for i, text in enumerate(["größe", "пример", "例え", "😀", "e\u0301", "a\u0000b", "\u2028", "\ufeff", "x" * 5000 + "ä"]):
            f.write(json.dumps({"id": text, "imp": [{"id": "1", "banner": {"w": i, "h": 1}, "bidfloor": i / 7, "bidfloorcur": text}],
                                "site": {"domain": text, "publisher": {"id": text}}, "device": {"os": text, "geo": {"country": text}},
                                text: 1}, ensure_ascii=i % 2 == 0) + "\n")
    inputs = ["testdata/corpus/requests.ndjson", "testdata/corpus/responses.ndjson", beyond]
    rtbwire("check", *PRESET, "--format", "parquet", "--fail-on", "never", "--output", os.path.join(folder, "mixed.parquet"), *inputs)
    findings = {}
    text = rtbwire("check", *PRESET, "--payload", "--fraud", "--format", "ndjson", "--fail-on", "never", *inputs)
    for line in text.decode().splitlines():
        d = json.loads(line)
        findings[d["file"], d["document"]] = [(i["id"], i["path"]) for i in d["issues"]]
    return findings


# ---- rows of each engine, as plain values ----


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def duckdb_rows(folder):
    cursor = duckdb.execute(f"SELECT * FROM read_parquet('{folder}/mixed.parquet') ORDER BY file, document")
    names = [d[0] for d in cursor.description]
    return [plain(dict(zip(names, row))) for row in cursor.fetchall()]


def chdb_json(sql, **options):
    text = str(chdb.query(sql, "JSONEachRow", **options))
    return [json.loads(line) for line in text.splitlines()]


def chdb_rows(folder):
    return chdb_json(f"SELECT * FROM file('{folder}/mixed.parquet', Parquet) ORDER BY file, document "
                     "SETTINGS output_format_json_quote_64bit_integers = 0")


def spark_rows(spark, folder):
    rows = spark.read.parquet(f"{folder}/mixed.parquet").orderBy("file", "document").collect()
    return [row.asDict(recursive=True) for row in rows]


# ---- the examples ----


def run_duckdb(folder, want):
    os.chdir(folder)
    got = duckdb.sql("SELECT reason, count(*) FROM read_parquet('verdicts.parquet') GROUP BY reason").fetchall()
    same("DuckDB reads Parquet: counts by reason", by_reason(got), want, "as check says")
    for name in ("refusals", "publishers", "findings"):
        rows = duckdb.sql(example(f"duckdb/{name}.sql")).fetchall()
        if not rows:
            sys.exit(f"engines_test: examples/duckdb/{name}.sql finds nothing")
        note(f"examples/duckdb/{name}.sql", f"{len(rows)} rows", f"first {rows[0]}")
        if name == "refusals":
            same("its counts", by_reason((r[0], r[2]) for r in rows), {k: v for k, v in want.items() if k})


def run_clickhouse(folder, want, lines):
    os.chdir(folder)
    got = chdb_json("SELECT reason, count() AS n FROM file('verdicts.parquet', Parquet) GROUP BY reason")
    same("ClickHouse reads Parquet: counts by reason", by_reason((r["reason"], r["n"]) for r in got), want, "as check says")
    rows = chdb_json(example("clickhouse/parquet.sql"))
    note("examples/clickhouse/parquet.sql", f"{len(rows)} rows", f"first {rows[0]}")
    functions = os.path.join(folder, "functions")
    os.mkdir(functions)
    shutil.copy(os.path.join(EXAMPLES, "clickhouse/rtbwire_function.xml"), os.path.join(functions, "udf_config.xml"))
    sql = example("clickhouse/function.sql")
    if "'bids.ndjson.gz'" not in sql:
        sys.exit("engines_test: examples/clickhouse/function.sql reads another file")
    rows = chdb_json(sql.replace("'bids.ndjson.gz'", "'logs/*.ndjson.gz'"), udf_path=functions)
    same("ClickHouse calls rtbwire_verdict: counts by reason", by_reason((r["reason"], r["requests"]) for r in rows), lines, "as check says")


def spark_session(**settings):
    builder = SparkSession.builder.appName("engines_test").master("local[*]")
    for name, value in settings.items():
        builder = builder.config(name.replace("_", "."), value)
    return (
        builder.config("spark.driver.memory", "1g").config("spark.ui.showConsoleProgress", "false")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1").getOrCreate()
    )


def run_spark_job(folder, lines):
    """Run the example as its users do."""
    submit = os.path.join(os.path.dirname(sys.executable), "spark-submit")
    command = [submit, "--master", "local[*]", "--driver-memory", "1g", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1",
               "--conf", "spark.driver.bindAddress=127.0.0.1", os.path.join(EXAMPLES, "spark/verdicts.py"),
               "--input", f"{folder}/logs/*.ndjson.gz", "--output", f"{folder}/table"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYSPARK_PYTHON": sys.executable})
    if done.returncode != 0:
        sys.exit(f"engines_test: {' '.join(command)}\n{done.stdout}")
    got = duckdb.sql(f"SELECT reason, requests FROM read_parquet('{folder}/table/*.parquet')").fetchall()
    same("Spark's pipe through filter: counts by reason", by_reason(got), lines, "as check says")
    publishers = duckdb.sql(f"SELECT publisher_id, coalesce(reason, ''), count(*) FROM read_parquet('{folder}/verdicts.parquet') "
                            "WHERE publisher_id IS NOT NULL GROUP BY ALL ORDER BY ALL").fetchall()
    job = duckdb.sql(f"SELECT publisher, coalesce(reason, ''), requests FROM read_parquet('{folder}/table/*.parquet') "
                     "WHERE publisher IS NOT NULL ORDER BY ALL").fetchall()
    same("and by publisher and reason", job, publishers, f"{len(job):,} rows")


def check_nulls(folder):
    """A line that is no request between two that are forwarded: what a row does not have is null, and no text is empty."""
    ok = '{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"},"device":{"os":"b"}}\n'
    table, lines = os.path.join(folder, "nulls.parquet"), os.path.join(folder, "nulls.ndjson")
    with open(lines, "w") as f:
        f.write(ok + "nonsense\n" + ok)
    rtbwire("check", *PRESET, *LINES, "--format", "parquet", "--fail-on", "never", "--output", table, lines)
    names = ("id", "action", "reason", "partner", "publisher_id", "channel", "site_domain", "app_bundle", "country", "device_os", "media", "bidfloorcur")
    forwarded = ("1", "forward", None, None, None, "site", "a.example", None, None, "b", "banner", None)
    want = [forwarded, (None, "refuse", "json.syntax") + (None,) * 9, forwarded]
    got = duckdb.sql(f"SELECT {', '.join(names)} FROM read_parquet('{table}') ORDER BY document").fetchall()
    same("DuckDB reads null where there is no text", got, want)
    got = [tuple(row[name] for name in names) for row in pyarrow.parquet.read_table(table).to_pylist()]
    same(f"PyArrow {pyarrow.__version__} reads null where there is no text", got, want)
    for path in (f"{folder}/verdicts.parquet", f"{folder}/mixed.parquet"):
        read = pyarrow.parquet.read_table(path)
        empty = {name: sum(1 for text in read[name].to_pylist() if text == "") for name in names}
        same(f"empty texts in {os.path.basename(path)}", empty, dict.fromkeys(names, 0), f"{read.num_rows:,} rows")


def compare_rows(spark, folder, findings):
    rows = {"DuckDB": duckdb_rows(folder), "Spark": spark_rows(spark, folder), "ClickHouse": chdb_rows(folder)}
    first = rows["DuckDB"]
    nulls = sum(1 for row in first for v in row.values() if v is None)
    texts = sum(1 for row in first for v in row.values() if isinstance(v, str) and not v.isascii())
    listed = sum(len(row["findings"]) for row in first)
    if not nulls or not texts or not listed or {row["type"] for row in first} != {"request", "response"}:
        sys.exit(f"engines_test: the corpus shows little: {nulls} nulls, {listed} findings")
    for name in ("Spark", "ClickHouse"):
        same(f"{name} and DuckDB read the same rows", rows[name], first,
             f"{len(first):,} rows of {len(first[0])} columns, {nulls:,} nulls, {listed:,} findings in lists, {texts} texts beyond ASCII")
    strip = re.compile(r"^schema\.")
    got = {(row["file"], row["document"]): [(strip.sub("", f["id"]), f["path"]) for f in row["findings"]] for row in first if row["findings"]}
    same("findings of each document", got, findings, "as check --format ndjson has them")


# ---- the time of pipe ----


def make_lines(folder, lines, cores):
    """Make a file for each core, and return how many lines they have, and how many bytes."""
    data = os.path.join(folder, "lines")
    os.mkdir(data)
    for i in range(cores):
        rtbwire("simulate", "--seed", "8", "--first", str(i * lines // cores), "--count", str(lines // cores), "-o", f"{data}/{i}.ndjson")
    return data, lines // cores * cores, sum(os.path.getsize(f) for f in glob.glob(f"{data}/*"))


def processor_time():
    """Return the seconds of processor time of this process and all that it has started, the JVM and Python's workers among them."""
    ticks, parents = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    fields = f.read().rpartition(")")[2].split()
            except OSError:  # it has ended, and counts for its parent
                continue
            parents[int(name)] = int(fields[1])
            ticks[int(name)] = sum(int(n) for n in fields[11:15])  # its own, and of its children that have ended
    total = 0
    for pid in ticks:
        at = pid
        while at and at != os.getpid():
            at = parents.get(at, 0)
        if at:
            total += ticks[pid]
    return total / os.sysconf("SC_CLK_TCK")


def time_pipe(spark, how, data, total, rounds):
    """Compare the time of pipe through filter with that of pipe through cat, in turns.

    Where other programs use the machine, the processor time says more.
    """
    program = shlex.quote(shutil.which("rtbwire"))  # commands of pipe have no PATH
    commands = {
        "cat": "cat",
        "filter --emit verdict": f"{program} filter --jobs 1 --emit verdict",
        "filter --emit accepted": f"{program} filter --jobs 1 --emit accepted",
        "filter": f"{program} filter --jobs 1",
    }
    times = {name: [] for name in commands}
    busy = {name: [] for name in commands}
    for i in range(-1, rounds):  # the first one warms up
        order = list(commands) if i % 2 else list(commands)[::-1]
        for name in order:
            start, used = time.monotonic(), processor_time()
            n = spark.sparkContext.textFile(data, 1).pipe(commands[name], checkCode=True).count()
            if n != total:
                sys.exit(f"engines_test: {commands[name]} makes {n} lines of {total}")
            if i >= 0:
                times[name].append(time.monotonic() - start)
                busy[name].append(processor_time() - used)
    for name in commands:
        ratios = sorted(t / c for t, c in zip(times[name], times["cat"]))
        ratio = statistics.median(ratios)
        met = "" if name == "cat" else f" (target {PIPE_TARGET}: {'met' if ratio <= PIPE_TARGET else 'missed'})"
        cpu = statistics.median(busy[name])
        note(f"pipe through {name}, {how}", f"{statistics.median(times[name]):.2f} s",
             f"{ratio:.2f} of cat's, {ratios[0]:.2f} to {ratios[-1]:.2f} in {rounds} rounds{met}; "
             f"{cpu:.2f} s of processor time, {cpu / statistics.median(busy['cat']):.2f} of cat's, {cpu / total * 1e6:.1f} µs a line")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True, help="an empty one")
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--lines", type=int, required=True, help="of the times of pipe")
    parser.add_argument("--rounds", type=int, required=True)
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)

    print("== data", flush=True)
    want, lines = make_data(folder, options.requests)
    findings = make_mixed(folder)
    print("== DuckDB", duckdb.__version__, flush=True)
    run_duckdb(folder, want)
    check_nulls(folder)
    print("== ClickHouse, chdb", chdb.__version__, flush=True)
    run_clickhouse(folder, want, lines)
    print("== Spark, the job", flush=True)
    run_spark_job(folder, lines)
    print("== rows", flush=True)
    spark = spark_session()
    spark.sparkContext.setLogLevel("ERROR")
    got = spark.read.parquet(f"{folder}/verdicts.parquet").groupBy("reason").count().collect()
    same(f"Spark {spark.version} reads Parquet: counts by reason", by_reason(got), want, "as check says")
    compare_rows(spark, folder, findings)
    print("== time of pipe", flush=True)
    cores = spark.sparkContext.defaultParallelism
    data, total, size = make_lines(folder, options.lines, cores)
    note("lines through Spark's pipe", f"{total:,}", f"{size / 1e6:.0f} MB, {cores} cores")
    time_pipe(spark, "a task on each core", data, total, options.rounds)
    spark.stop()
    if cores > 1:  # the command has a core for itself, as it would in a cluster that reserves one
        spark = spark_session(spark_task_cpus="2")
        spark.sparkContext.setLogLevel("ERROR")
        time_pipe(spark, "two cores for each task", data, total, options.rounds)
        spark.stop()

    print("\n== make verify STEPS=engines")
    width = max(len(what) for what, _, _ in results)
    for what, value, detail in results:
        print(f"{what:<{width}}  {value:<10}  {detail}")


if __name__ == "__main__":
    main()
