#!/usr/bin/env python3
"""Makes the table of cpp/README.md from bench/results.json, what scan_bench wrote.

    table.py                    writes the table
    table.py --check            fails when the table is not of those results
    table.py --take FILE        takes FILE, reduced to medians, as the new results, and writes the table
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
README = HERE.parent / "README.md"
BEGIN, END = "<!-- comparison: made by bench/table.py -->\n", "<!-- end of comparison -->\n"

NAMES = {
    "rtbwire_detect": "scanner, detect",
    "rtbwire_strict": "scanner, strict",
    "yyjson": "yyjson",
    "simdjson": "simdjson",
    "rapidjson": "RapidJSON",
    "nlohmann": "nlohmann::json",
    "glaze": "Glaze",
}
KERNELS = {"avx512": "AVX-512", "avx2": "AVX2", "sse42": "SSE4.2", "neon": "NEON", "scalar": "scalar"}


def reduce(results):
    """Medians and spread of what has repetitions, and what the machine was."""
    rows = []
    for b in results["benchmarks"]:
        if b.get("error_occurred") or b.get("aggregate_name") not in ("median", "cv"):
            continue
        keep = ("name", "run_name", "aggregate_name", "repetitions", "threads", "cpu_time", "time_unit",
                "bytes_per_second", "heap", "arena", "worst_ns_per_byte", "label", "aggregate_unit")
        rows.append({k: b[k] for k in keep if k in b})
    context = results["context"]
    keep = ("date", "num_cpus", "mhz_per_cpu", "load_avg", "corpus_packets", "corpus_bytes", "cpu", "compiler",
            "simdjson", "yyjson", "rapidjson", "nlohmann", "glaze", "vectorscan")
    return {"context": {k: context[k] for k in keep if k in context}, "benchmarks": rows}


def label(row):
    for prefix, name in NAMES.items():
        if row == prefix or row.startswith(prefix + "_"):
            rest = row[len(prefix) + 1:]
            return f"{name}, {KERNELS.get(rest, rest.replace('best', 'built in').replace('_', ' '))}" if rest else name
    return row


def number(value):
    return f"{value:,.0f}"


def table(results):
    context = results["context"]
    packets, size = int(context["corpus_packets"]), int(context["corpus_bytes"])
    medians, spread = {}, []
    for b in results["benchmarks"]:
        row, what = b["run_name"].split("/")[:2]
        if b["aggregate_name"] == "median":
            medians.setdefault(row, {})[what, b["threads"]] = b
        elif what != "adversarial":
            spread.append(b["cpu_time"])
    spread.sort()
    cores = max(threads for sets in medians.values() for _, threads in sets)

    yield (f"Taken {context['date'][:10]} on {context.get('cpu', 'an unnamed processor')}, {context['num_cpus']} cores, "
           f"{context.get('compiler', 'an unnamed compiler')}; load at the start "
           f"{context['load_avg'][0]:.1f}. Medians of {max(b['repetitions'] for b in results['benchmarks'])} interleaved "
           f"runs; the runs of half of all figures differ by a coefficient of variation of up to "
           f"{100 * spread[len(spread) // 2]:.0f}%, of nine tenths by up to {100 * spread[len(spread) * 9 // 10]:.0f}%. "
           f"CPU nanoseconds a packet; the corpus has {packets:,} packets of {size / packets:,.0f} bytes in the mean.\n\n")
    yield (f"| | three packets | corpus | GB/s | valid | malformed | malicious | {cores} threads | heap | arena | "
           "worst ns/byte |\n")
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    groups = list(NAMES)

    def place(item):
        group = next((i for i, prefix in enumerate(groups) if item[0].startswith(prefix)), len(groups))
        return group, item[1]["corpus", 1]["cpu_time"]

    for row, sets in sorted(medians.items(), key=place):
        corpus = sets["corpus", 1]
        ns = [number(sets[name, 1]["cpu_time"]) if (name, 1) in sets else ""
              for name in ("corpus_valid", "corpus_invalid", "corpus_malicious")]
        # A thread's own time: with more threads it stays what it was where they share nothing.
        scaling = cores * corpus["cpu_time"] / sets["corpus", cores]["cpu_time"] if ("corpus", cores) in sets else None
        worst = sets.get(("adversarial", 1), {}).get("worst_ns_per_byte")
        yield "| " + " | ".join([
            label(row), number(sets["three", 1]["cpu_time"]), number(corpus["cpu_time"]),
            f"{corpus['bytes_per_second'] / 1e9:.2f}", *ns, f"{scaling:.2f} times" if scaling else "",
            f"{corpus['heap']:.0f}", number(corpus["arena"]) if corpus["arena"] else "",
            f"{worst:.1f}" if worst else ""]) + " |\n"


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--take"]:
        taken = reduce(json.loads(pathlib.Path(arguments[1]).read_text()))
        RESULTS.write_text(json.dumps(taken, indent=1) + "\n")
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = head + BEGIN + "\n" + "".join(table(json.loads(RESULTS.read_text()))) + "\n" + END + tail
    if "--check" not in arguments:
        README.write_text(made, encoding="utf-8")
    elif made != text:
        print("the comparison in cpp/README.md is not of bench/results.json: run bench/table.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
