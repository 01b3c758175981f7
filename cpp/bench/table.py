#!/usr/bin/env python3
"""Makes the tables of cpp/README.md from the runs of compare.py that lab/results/claims keeps.

    table.py                    writes the tables
    table.py --check            fails if the tables do not match the figures
    table.py --show FILE        prints the tables of another run
    table.py --take FILE        adds another run to the published ones, and writes the tables

Runs are cpp.json and cpp.START.json. They are combined as package figures of lab/ does.
"""

import datetime
import json
import pathlib
import re
import shutil
import statistics
import sys

CPP = pathlib.Path(__file__).resolve().parent.parent
FIGURES = CPP.parent / "lab" / "results" / "claims"
ENOUGH_RUNS, BETWEEN_RUNS = 3, datetime.timedelta(hours=1)
README = CPP / "README.md"
BEGIN, END = "<!-- comparison: made by bench/table.py -->\n", "<!-- end of comparison -->\n"

LIBRARIES = {  # by the first word of a row; tables are in this order
    "scanner": "scanner",
    "yyjson": "yyjson",
    "simdjson": "simdjson",
    "boostjson": "Boost.JSON",
    "daw": "daw_json_link",
    "rapidjson": "RapidJSON",
    "jsoncons": "jsoncons",
    "glaze": "Glaze",
    "nlohmann": "nlohmann::json",
    "find": "`std::string_view::find`, bytes of the packet",
    "strstr": "`strstr`, bytes of the packet",
}
WORDS = {"avx512": "AVX-512", "avx2": "AVX2", "sse42": "SSE4.2", "neon": "NEON", "best": "built in", "4096": "4,096 bytes",
         "dom": "DOM", "ondemand": "On-Demand", "insitu": "in situ", "pmr": "std::pmr", "resource": "a memory resource of the document's own", "value": "json_value", "vectorscan": "Vectorscan"}
NEEDLE = "-needle"
SIZES = ("0.5KB", "4KB", "64KB", "1MB")


def start(run):
    return datetime.datetime.fromisoformat(run["taken"].replace("Z", "+00:00"))


def combined(name, runs):
    """The figure of all runs that have it: as in combine of lab/figures/runs.go."""
    found = [(start(run), run["figures"][name]) for run in runs if name in run["figures"]]
    values = [f["value"] for _, f in found]
    count, last = 0, None
    for taken, _ in found:
        if last is None or taken - last >= BETWEEN_RUNS:
            count, last = count + 1, taken
    if count >= ENOUGH_RUNS:
        lo, hi = min(values), max(values)
    else:
        lo, hi = min(f["lo"] for _, f in found), max(f["hi"] for _, f in found)
    rounds = sum(f.get("rounds", 0) for _, f in found)
    return {**found[-1][1], "value": statistics.median(values), "lo": lo, "hi": hi, **({"rounds": rounds} if rounds else {})}


def published():
    return sorted([*FIGURES.glob("cpp.json"), *FIGURES.glob("cpp.*.json")])


class Figures:
    def __init__(self, paths):
        runs = sorted((json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in paths), key=start)
        self.run, self.runs = runs[-1], runs
        self.all = {name: combined(name, runs) for name in dict.fromkeys(name for run in runs for name in run["figures"])}
        self.rows = sorted({m[1] for m in (re.fullmatch(r"cpp/[a-z]+/([^/]+)/heap-calls", n) for n in self.all) if m}
                           | {m[1] for m in (re.fullmatch(r"cpp/[^/]+/([^/]+)/ns", n) for n in self.all) if m})

    def __call__(self, name):
        figure = self.all.get("cpp/" + name)
        return None if figure is None else figure["value"]

    def threads(self):
        return sorted({int(m[1]) for m in (re.match(r"cpp/packets/(\d+)/", n) for n in self.all) if m})


def title(row, notes=()):
    """What a row is called in a table, with the version of its library if that is in the notes."""
    library, *words = row.removesuffix(NEEDLE).split("-")
    if library == "nlohmann" and words in (["throw"], ["noexcept"]):
        words = ["malloc", *words]
    name = LIBRARIES[library]
    if name in notes:
        name += " " + notes[name]
    text = ", ".join([name] + ([" ".join(WORDS.get(w, w) for w in words)] if words else []))
    return text.replace("strict ", "strict, ").replace("detect ", "detect, ")


def number(value, form="{:,.0f}"):
    return "" if value is None else form.format(value)


def calls(value):
    return "not counted" if value is None else number(value, "{:,.1f}" if value % 1 else "{:,.0f}")


def interval(figures, name):
    f = figures.all.get("cpp/" + name)
    return "" if f is None else f"{f['value']:.2f} [{f['lo']:.2f}, {f['hi']:.2f}]"


def table(header, rows):
    yield "| " + " | ".join(header) + " |\n| --- |" + " ---: |" * (len(header) - 1) + "\n"
    for cells in rows:
        yield "| " + " | ".join(cells) + " |\n"
    yield "\n"


def ordered(figures, rows, by):
    """By library, then by time."""
    names = list(LIBRARIES)
    return sorted(rows, key=lambda row: (names.index(row.split("-")[0]), figures(by.format(row)) or 0))


def cost(figures, packets, row):
    refused = figures(f"{packets}/{row}/refused")
    return f"refuses {100 * refused:.0f}%" if refused else number(figures(f"{packets}/{row}/ns"))


def one_thread(figures, needle):
    rows = [row for row in figures.rows if row.endswith(NEEDLE) == needle and
            any(figures(f"corpus/{row}/{what}") is not None for what in ("ns", "refused"))]
    header = ["", "packets", "corpus", "GB/s"]
    header += ["missed"] if needle else ["valid", "malformed", "malicious"]
    header += ["heap calls", "of the first packet", "arena"] + ([] if needle else ["worst ns/byte"])
    for row in ordered(figures, rows, "corpus/{}/ns"):
        ns = figures(f"corpus/{row}/ns")
        cells = [title(row, figures.run["notes"]), cost(figures, "packets", row), cost(figures, "corpus", row),
                 number(ns and figures("corpus/bytes") / ns, "{:.2f}")]
        if needle:
            missed = figures(f"corpus/{row}/missed")
            cells += [number(missed, "{:.0%}")]
        else:
            cells += [cost(figures, packets, row) for packets in ("valid", "invalid", "malicious")]
        cells += [calls(figures(f"corpus/{row}/heap-calls")), calls(figures(f"corpus/{row}/first-heap-calls")),
                  number(figures(f"corpus/{row}/arena"))]
        if not needle:
            cells.append(number(figures(f"adversarial/{row}/ns-per-byte"), "{:.1f}"))
        yield header, cells


def scaled(figures, packets):
    levels = figures.threads()
    for row in ordered(figures, [r for r in scaled_rows(figures)], packets + "/1/{}/wall"):
        yield [title(row, figures.run["notes"])] + [
            number(figures(f"{packets}/{n}/{row}/wall")) +
            ("" if n == 1 else f" ({figures(f'{packets}/{n}/{row}/time-of-one'):.2f})") for n in levels]


def sized(figures):
    rows = [row for row in figures.rows if any(figures(f"{size}/{row}/ns") for size in SIZES)]
    for row in ordered(figures, rows, "4KB/{}/ns"):
        yield [title(row, figures.run["notes"])] + [
            number(ns and figures(f"{size}/bytes") / ns, "{:.2f}") for size in SIZES for ns in [figures(f"{size}/{row}/ns")]]


def scaled_rows(figures):
    return {m[1] for m in (re.fullmatch(r"cpp/packets/1/([^/]+)/wall", name) for name in figures.all) if m}


RATIOS = [  # what, and the figure without its set and the search
    ("yyjson: arena, times as fast as malloc", "yyjson-arena{0}/over-yyjson-malloc{0}"),
    ("nlohmann::json: arena, with exceptions", "nlohmann-arena-throw{0}/over-nlohmann-throw{0}"),
    ("nlohmann::json: arena, without", "nlohmann-arena-noexcept{0}/over-nlohmann-noexcept{0}"),
    ("nlohmann::json: no exceptions, times as fast as with", "nlohmann-noexcept{0}/over-nlohmann-throw{0}"),
    ("yyjson, times as fast as nlohmann::json with exceptions", "yyjson-malloc{0}/over-nlohmann-throw{0}"),
    ("yyjson, times as fast as nlohmann::json without", "yyjson-malloc{0}/over-nlohmann-noexcept{0}"),
    ("simdjson DOM, times as fast as yyjson", "simdjson-dom{0}/over-yyjson-malloc{0}"),
    ("Boost.JSON: a resource of the document's own, times as fast as malloc", "boostjson-resource{0}/over-boostjson-malloc{0}"),
    ("jsoncons: std::pmr, times as fast as malloc", "jsoncons-pmr{0}/over-jsoncons-malloc{0}"),
    ("yyjson: in situ, times as fast as on the packet", "yyjson-insitu{0}/over-yyjson-malloc{0}"),
    ("nlohmann::json: std::pmr, time of malloc", "nlohmann-pmr{0}/time-of-nlohmann-noexcept{0}"),
    ("nlohmann::json: std::pmr, time of the arena", "nlohmann-pmr{0}/time-of-nlohmann-arena-noexcept{0}"),
]
RATIOS += [(f"{title(x)}: {a}, times as fast as glibc's malloc", f"{x}-{a}{{0}}/over-{x}-{y}{{0}}")
           for x, y in (("yyjson", "malloc"), ("nlohmann", "noexcept")) for a in ("jemalloc", "mimalloc", "tcmalloc")]


def preliminary(runs):
    return list(dict.fromkeys(why for run in runs for why in run.get("preliminary", [])))


def comparison(figures):
    run, machine = figures.run, figures.run["machine"]
    measured = [f for f in figures.all.values() if f.get("rounds")]
    wide = sorted((f["hi"] - f["lo"]) / f["value"] for f in measured)
    versions = ", ".join(f"{name} {text}" for name, text in run["notes"].items())
    of_runs = f", the last of {len(figures.runs)} runs" if len(figures.runs) > 1 else ""
    yield (f"Taken {run['taken'][:10]} on {machine['CPU']}, {machine['Cores']} cores, of which other programs kept "
           f"{machine['Others']} busy{of_runs}. {versions}. Medians of up to {max(f['rounds'] for f in measured)} rounds; half of the 95% "
           f"intervals are narrower than {100 * wide[len(wide) // 2]:.0f}%, nine tenths narrower than "
           f"{100 * wide[len(wide) * 9 // 10]:.0f}%."
           + (f" **Preliminary**: {'; '.join(why)}." if (why := preliminary(figures.runs)) else "") + "\n\n")
    yield (f"**One thread, the whole search.** Processor nanoseconds for a packet. The three packets have "
           f"{figures('packets/bytes'):,.0f} bytes in the mean, the {figures('corpus/packets'):,.0f} of the corpus "
           f"{figures('corpus/bytes'):,.0f}.\n\n")
    for needle in (False, True):
        if needle:
            yield ("**One thread, one literal.** `<script>` searched with `find`, in values only, as in the published comparison: "
                   "the time is that of the parser. *missed* is the share of the malicious packets of the corpus that such a "
                   "search finds to be clean.\n\n")
        lines = list(one_thread(figures, needle))
        yield from table(lines[0][0], [cells for _, cells in lines])
    yield ("**Ratios**, taken round by round, one thread, with their 95% intervals.\n\n")
    yield from table(["", "packets, one literal", "packets", "corpus, one literal", "corpus"],
                     [cells for cells in ([what] + [interval(figures, f"{packets}/{name.format(search)}")
                                                    for packets in ("packets", "corpus") for search in (NEEDLE, "")]
                                          for what, name in RATIOS) if any(cells[1:])])
    lines = list(sized(figures))
    if lines:
        yield ("**By size.** Gigabytes a second of valid documents of about so many bytes, one thread: one packet, and arrays of "
               "packets. The parsers search one literal, the scanner searches everything, in up to 65,535 bytes.\n\n")
        yield from table([""] + [size[:-2] + " " + size[-2:] for size in SIZES], lines)
    levels = figures.threads()
    if len(levels) > 1:
        yield ("**Threads.** Wall nanoseconds of a thread for a packet, one thread on each core, and in brackets the ratio to one "
               "thread alone: 1 if threads do not disturb each other, 2 if a packet takes twice as long. Rows of yyjson and "
               "nlohmann::json search one literal. Heap calls are not counted in this program.\n\n")
        for packets, name in (("packets", "the three packets"), ("corpus", "the corpus")):
            header = [name] + [f"{n} thread" + ("s" if n > 1 else "") for n in levels]
            yield from table(header, scaled(figures, packets))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--show"]:
        sys.stdout.writelines(comparison(Figures([arguments[1]])))
        return 0
    if arguments[:1] == ["--take"]:
        FIGURES.mkdir(parents=True, exist_ok=True)
        taken = start(json.loads(pathlib.Path(arguments[1]).read_text(encoding="utf-8")))
        shutil.copyfile(arguments[1], FIGURES / f"cpp.{taken:%Y-%m-%dT%H%M}.json")
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = head + BEGIN + "\n" + "".join(comparison(Figures(published()))) + END + tail
    if "--check" not in arguments:
        README.write_text(made, encoding="utf-8")
    elif made != text:
        print("the comparison in cpp/README.md does not match the runs in lab/results/claims: run bench/table.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
