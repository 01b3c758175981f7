#!/usr/bin/env python3
"""Makes the table of cpp/README.md from bench/results.tsv, the last run of scan_bench.

    table.py                    writes the table
    table.py --check            fails if the table does not match the results
    table.py --take FILE        reads FILE, the JSON of scan_bench, writes results.tsv and the table

results.tsv has a line per row, set of packets and number of threads: the median of the repetitions
and their coefficient of variation. The lines before the header say where and with what they were
measured. Raw JSON is not kept.
"""

import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "results.tsv"
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

CONTEXT = ("date", "cpu", "num_cpus", "mhz_per_cpu", "load_avg", "compiler", "corpus_packets", "corpus_bytes",
           "simdjson", "yyjson", "rapidjson", "nlohmann", "glaze", "vectorscan")

# cpu_ns is the processor time of one thread for one packet; heap the calls of the heap's functions
# for one packet, arena the most bytes of its arena that a packet took. The packets made to be slow
# (the set adversarial) have worst_ns_per_byte instead. cv belongs to cpu_ns or worst_ns_per_byte.
Result = collections.namedtuple(
    "Result", "row set threads repetitions cpu_ns worst_ns_per_byte cv bytes_per_second heap arena label")


def significant(value, digits=7):
    """A number as text, without an exponent."""
    if value == "":
        return ""
    rounded = float(f"{float(value):.{digits}g}")
    return f"{rounded:.10f}".rstrip("0").rstrip(".")


def take(google):
    """The context and the results in what Google Benchmark wrote."""
    context = {}
    for key in CONTEXT:
        if key in google["context"]:
            value = google["context"][key]
            context[key] = " ".join(f"{v:.2f}" for v in value) if isinstance(value, list) else str(value)
    for key, value in google["context"].items():
        if str(value).startswith("left out"):  # a row that said something wrong
            context[key] = value
    medians, spreads = {}, {}
    for b in google["benchmarks"]:
        if b.get("error_occurred"):
            continue
        row, packets = b["run_name"].split("/")[:2]
        kind = {"median": medians, "cv": spreads}.get(b.get("aggregate_name"))
        if kind is not None:
            kind[row, packets, b["threads"]] = b
    results = []
    for key, b in sorted(medians.items()):
        if b["time_unit"] != "ns":
            raise SystemExit(f"{b['run_name']}: time in {b['time_unit']}, not in ns")
        figure = "worst_ns_per_byte" if "worst_ns_per_byte" in b else "cpu_time"
        results.append(Result(
            *key, b["repetitions"], b["cpu_time"] if figure == "cpu_time" else "", b.get("worst_ns_per_byte", ""),
            spreads[key][figure], b.get("bytes_per_second", ""), b.get("heap", ""), b.get("arena", ""),
            b.get("label", "")))
    return context, results


def write(context, results):
    lines = [f"# {key}\t{value}" for key, value in context.items()]
    lines.append("\t".join(Result._fields))
    for r in results:
        lines.append("\t".join([r.row, r.set, str(r.threads), str(r.repetitions),
                                *(significant(v) for v in r[4:6]), significant(r.cv, 4),
                                *(significant(v) for v in r[7:10]), r.label]))
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read():
    context, results = {}, []
    header = "\t".join(Result._fields)
    for line in RESULTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            key, value = line[2:].split("\t", 1)
            context[key] = value
        elif line != header:
            cells = line.split("\t")
            results.append(Result(cells[0], cells[1], int(cells[2]), int(cells[3]),
                                  *(float(c) if c else None for c in cells[4:10]), cells[10]))
    return context, results


def label(row):
    for prefix, name in NAMES.items():
        if row == prefix or row.startswith(prefix + "_"):
            rest = row[len(prefix) + 1:]
            return f"{name}, {KERNELS.get(rest, rest.replace('best', 'built in').replace('_', ' '))}" if rest else name
    return row


def number(value):
    return f"{value:,.0f}"


def table(context, results):
    packets, size = int(context["corpus_packets"]), int(context["corpus_bytes"])
    rows = {}
    for r in results:
        rows.setdefault(r.row, {})[r.set, r.threads] = r
    spread = sorted(r.cv for r in results if r.set != "adversarial")
    cores = max(r.threads for r in results)

    yield (f"Taken {context['date'][:10]} on {context.get('cpu', 'an unnamed processor')}, {context['num_cpus']} cores, "
           f"{context.get('compiler', 'an unnamed compiler')}; load at the start "
           f"{float(context['load_avg'].split()[0]):.1f}. Medians of {max(r.repetitions for r in results)} interleaved "
           f"runs; the runs of half of all figures differ by a coefficient of variation of up to "
           f"{100 * spread[len(spread) // 2]:.0f}%, of nine tenths by up to {100 * spread[len(spread) * 9 // 10]:.0f}%. "
           f"CPU nanoseconds a packet; the corpus has {packets:,} packets of {size / packets:,.0f} bytes in the mean.\n\n")
    yield (f"| | three packets | corpus | GB/s | valid | malformed | malicious | {cores} threads | heap | arena | "
           "worst ns/byte |\n")
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    groups = list(NAMES)

    def place(item):
        group = next((i for i, prefix in enumerate(groups) if item[0].startswith(prefix)), len(groups))
        return group, item[1]["corpus", 1].cpu_ns

    for row, sets in sorted(rows.items(), key=place):
        corpus = sets["corpus", 1]
        ns = [number(sets[name, 1].cpu_ns) if (name, 1) in sets else ""
              for name in ("corpus_valid", "corpus_invalid", "corpus_malicious")]
        # A thread's own time: threads that share nothing need no longer than one alone.
        scaling = cores * corpus.cpu_ns / sets["corpus", cores].cpu_ns if ("corpus", cores) in sets else None
        worst = sets["adversarial", 1].worst_ns_per_byte if ("adversarial", 1) in sets else None
        yield "| " + " | ".join([
            label(row), number(sets["three", 1].cpu_ns), number(corpus.cpu_ns),
            f"{corpus.bytes_per_second / 1e9:.2f}", *ns, f"{scaling:.2f} times" if scaling else "",
            f"{corpus.heap:.0f}", number(corpus.arena) if corpus.arena else "",
            f"{worst:.1f}" if worst else ""]) + " |\n"


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--take"]:
        write(*take(json.loads(pathlib.Path(arguments[1]).read_text(encoding="utf-8"))))
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = head + BEGIN + "\n" + "".join(table(*read())) + "\n" + END + tail
    if "--check" not in arguments:
        README.write_text(made, encoding="utf-8")
    elif made != text:
        print("the comparison in cpp/README.md does not match bench/results.tsv: run bench/table.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
