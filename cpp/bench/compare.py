#!/usr/bin/env python3
"""Runs the comparison: compare.py FOLDER FILE [--quick] [--limit SECONDS]

FOLDER has scan_bench and scan_bench_count. FILE gets the figures, in the format of package figures
of lab/, which table.py and the lab read:

    cpp/cores                           how many processors "all" means below
    cpp/SET/ROW/ns                      processor time of one thread for a packet
    cpp/SET/ROW/heap-calls              calls of the heap for a packet
    cpp/SET/ROW/first-heap-calls        for the first packet of a new parser
    cpp/SET/ROW/arena                   the most bytes of a fixed buffer that a packet took, unless 0
    cpp/SET/ROW/refused                 share of packets that don't fit into the buffer of the row
    cpp/SET/ROW/missed                  share of malicious packets that are found to be clean
    cpp/SET/bytes, cpp/SET/packets      mean length, and how many
    cpp/SET/ROW/over-OTHER              time of OTHER over time of ROW
    cpp/SET/ROW/time-of-OTHER           time of ROW over time of OTHER
    cpp/SET/LIBRARY/over-best-other     time of the fastest row of others over that of the fastest of the library
    cpp/SET/ROW/heap-over-OTHER         what ROW loses by the heap, its time less that with an arena, over time of OTHER
    cpp/SET/ROW/isspace-calls           calls of isspace for a packet; localeconv-calls alike
    cpp/SET/N/ROW/wall                  wall time of a thread for a packet, N threads at once
    cpp/SET/N/ROW/time-of-one           that over the wall time of one thread alone
    cpp/adversarial/ROW/ns-per-byte     of the slowest packet that is made to be slow

SET is packets, corpus, valid, invalid or malicious, or one of documents by size: 0.5KB, 4KB, 64KB or
1MB, which parsers read that search one literal, and the scanner; N a number of threads, or all. Rows whose name
ends in -needle search one literal, the others six. A row that refuses packets of a set has no time
there, because refusing is fast.

In each round everything has one turn, in an order that changes, in new processes; ratios are taken
round by round. Figures are medians with the 95% interval of the median.
"""

import argparse
import datetime
import hashlib
import json
import math
import os
import pathlib
import platform
import random
import re
import resource
import statistics
import subprocess
import sys
import time

COMMAND = "make cpp ARGS=bench"
SETS = ("packets", "corpus", "valid", "invalid", "malicious")
SCALED_SETS = ("packets", "corpus")
SIZES = ("0.5KB", "4KB", "64KB", "1MB")
REFUSED = 3  # the answer

# Libraries that replace malloc, and the rows that run with them.
ALLOCATORS = {"jemalloc": "libjemalloc", "mimalloc": "libmimalloc", "tcmalloc": "libtcmalloc_minimal"}
ON_HEAP = {
    "yyjson-malloc": "yyjson-{}",
    "nlohmann-noexcept": "nlohmann-{}",
    "yyjson-malloc-needle": "yyjson-{}-needle",
    "nlohmann-noexcept-needle": "nlohmann-{}-needle",
    "nlohmann-throw-needle": "nlohmann-{}-throw-needle",
}
SCALED = re.compile(r"yyjson-(malloc|arena)-needle|nlohmann-.*-needle|simdjson-dom|rapidjson-pool|glaze-generic"
                    r"|scanner-(strict|detect)-(avx512|avx2|neon)")
SIZED = re.compile(r"(?!find|strstr).*-needle|scanner-(strict|detect)-(avx512|avx2|neon)")
# X/over-Y, for rows with each search.
OVER = [("yyjson-arena", "yyjson-malloc"), ("yyjson-pool", "yyjson-malloc"),
        ("nlohmann-noexcept", "nlohmann-throw"),
        ("nlohmann-arena-throw", "nlohmann-throw"), ("nlohmann-arena-noexcept", "nlohmann-noexcept"),
        ("nlohmann-arena-noexcept", "nlohmann-throw"),
        ("yyjson-malloc", "nlohmann-throw"), ("yyjson-malloc", "nlohmann-noexcept"),
        ("yyjson-arena", "nlohmann-arena-throw"), ("yyjson-arena", "nlohmann-arena-noexcept"),
        ("simdjson-dom", "yyjson-malloc"), ("simdjson-ondemand", "yyjson-malloc"),
        ("boostjson-resource", "boostjson-malloc"), ("jsoncons-pmr", "jsoncons-malloc"),
        ("yyjson-insitu", "yyjson-malloc"), ("yyjson-insitu-pool", "yyjson-malloc")]
OVER += [(f"yyjson-{a}", "yyjson-malloc") for a in ALLOCATORS]
OVER += [(f"nlohmann-{a}", "nlohmann-noexcept") for a in ALLOCATORS]
HEAP_OVER = [("nlohmann-noexcept", "nlohmann-arena-noexcept", "yyjson-malloc")]  # with the heap, with an arena, over
STOLEN = 0.01  # share of the processor time that other virtual machines may take
TIME_OF = [("nlohmann-pmr", "nlohmann-noexcept"), ("nlohmann-pmr", "nlohmann-arena-noexcept")]


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(program, *arguments, cases=None, preload=None):
    """The objects that scan_bench prints."""
    environment = dict(os.environ, **({"LD_PRELOAD": preload} if preload else {}))
    text = None if cases is None else "".join(f"{row} {packets} {threads}\n" for row, packets, threads in cases)
    done = subprocess.run([program, *map(str, arguments)], input=text, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(map(str, arguments))}: exit status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def processors():
    """Those that this process may use, one of each core first, and how many cores there are."""
    allowed = sorted(os.sched_getaffinity(0))
    first, others, seen = [], [], set()
    for cpu in allowed:
        siblings = read(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") or str(cpu)
        (others if siblings in seen else first).append(cpu)
        seen.add(siblings)
    return first + others, len(first)


def levels(cores, cpus):
    """1, 2, 4, ... threads, then one on each core, then one on each processor."""
    some = {1 << k for k in range(cores.bit_length()) if 1 << k <= cores}
    return sorted(some | {cores, cpus})


def busy():
    """Processor seconds that all programs have used."""
    fields = list(map(int, read("/proc/stat").split("\n", 1)[0].split()[1:9])) if os.path.exists("/proc/stat") else [0] * 8
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def stolen():
    """Processor seconds that other virtual machines have taken."""
    fields = read("/proc/stat").split("\n", 1)[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0


def sealed(text):
    """The text of a file with its checksum, as Seal of lab/figures."""
    head = "{\n"
    assert text.startswith(head)
    return f'{head} "sum": "{hashlib.sha256(text.encode()).hexdigest()}",\n{text[len(head):]}'


def mine():
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def exactly(value, unit=""):
    return {"value": value, "lo": value, "hi": value, **({"unit": unit} if unit else {})}


def median(values, unit=""):
    """With the interval between order statistics that holds the median with 95%, or all values."""
    values, n = sorted(values), len(values)
    outside, k = 0.0, 0
    while k < n // 2:
        outside += math.comb(n, k) * 2.0 ** (1 - n)
        if outside > 0.05:
            break
        k += 1
    low = max(k - 1, 0)
    return {"value": round5(statistics.median(values)), "lo": round5(values[low]), "hi": round5(values[n - 1 - low]),
            **({"unit": unit} if unit else {}), "rounds": n}


def round5(value):
    return float(f"{value:.5g}")


def libraries():
    """The libraries of ALLOCATORS that are installed."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {}
    for name, file in ALLOCATORS.items():
        path = re.search(rf"^\s*{file}\.so\.\d+ .*=> (\S+)$", known, re.M)
        if path:
            found[name] = path[1]
        else:
            say(f"{file} is not installed: no rows under {name}")
    return found


class Comparison:
    def __init__(self, folder, quick, limit):
        self.program, self.counter = f"{folder}/scan_bench", f"{folder}/scan_bench_count"
        self.quick, self.limit = quick, limit
        self.cpus, cores = processors()
        self.levels = levels(cores, len(self.cpus))
        self.figures, self.times, self.worst = {}, {}, {}
        self.about = run(self.program, "rows")[0]
        self.notes = self.about["notes"]
        self.libraries = libraries()
        for name, path in self.libraries.items():
            version = run(self.program, "rows", preload=path)[0]["notes"]["malloc"]
            if not version.startswith(name):
                raise SystemExit(f"{path} does not replace malloc: {version}")
            self.notes[name] = version.split(" ", 1)[1]

    def count(self):
        """Verdicts, heap and arenas, which do not depend on the machine's mood."""
        say("checking verdicts and counting heap calls")
        self.answers = {}
        self.left_out = []
        for c in run(self.counter, "count"):
            row, packets, n = c["row"], c["set"], self.about["sets"][c["set"]]["packets"]
            if c.get("wrong"):
                self.left_out.append(row)
                continue
            name = f"cpp/{packets}/{row}/"
            self.answers[row, packets] = c["answers"]
            self.figures[name + "heap-calls"] = exactly(round5(c["heap"]), "allocs")
            self.figures[name + "first-heap-calls"] = exactly(c["heap_first"], "allocs")
            for what in ("isspace", "localeconv"):
                self.figures[f"{name}{what}-calls"] = exactly(round5(c[what]), "calls")
            if c["arena"]:
                self.figures[name + "arena"] = exactly(c["arena"], "B")
            if row.endswith("-4096"):
                self.figures[name + "refused"] = exactly(round5(c["answers"][REFUSED] / n))
            if row.endswith("-needle") and c["malicious"]:
                self.figures[name + "missed"] = exactly(round5(c["missed"] / c["malicious"]))
        for row in self.left_out:
            say(f"{row} is left out: a verdict was wrong")
        for packets, size in self.about["sets"].items():
            self.figures[f"cpp/{packets}/bytes"] = exactly(round5(size["bytes"] / size["packets"]), "B")
            self.figures[f"cpp/{packets}/packets"] = exactly(size["packets"])
        self.figures["cpp/cores"] = exactly(self.levels[-1])

    def cases(self):
        """What has a turn in each round: for each malloc a list of rows, sets and numbers of threads."""
        times = [key for key, answers in self.answers.items() if answers[REFUSED] == 0 and key[0] not in self.left_out]
        own = [(row, packets, 1) for row, packets in times if packets not in SIZES or SIZED.fullmatch(row)]
        own += [(row, packets, n) for row, packets in times if SCALED.fullmatch(row) and packets in SCALED_SETS
                for n in self.levels[1:]]
        other = [(row, packets, n) for row, packets in times if row in ON_HEAP and packets in SCALED_SETS
                 for n in self.levels if n == 1 or row.endswith("-needle")]
        return {None: own, **{name: list(other) for name in self.libraries}}

    def round(self, cases, number):
        turns = list(cases.items())
        random.shuffle(turns)
        for malloc, mine in turns:
            random.shuffle(mine)
            got = run(self.program, "time", 4 if self.quick else 20, *self.cpus, cases=mine,
                      preload=self.libraries.get(malloc))
            for t in got:
                answers = self.answers[t["row"], t["set"]]
                passes = sum(t["answers"]) / sum(answers)
                if t["answers"] != [passes * n for n in answers]:
                    raise SystemExit(f"{t['row']}: a verdict of set {t['set']} is not always the same")
                row = ON_HEAP[t["row"]].format(malloc) if malloc else t["row"]
                self.times.setdefault((row, t["set"], t["threads"]), []).append((t["cpu"], t["wall"]))
        if number < 2 and not self.quick:  # takes longest, and the fastest of several runs counts anyway
            scanners = [row for row in self.about["rows"] if row.startswith("scanner-") and row not in self.left_out]
            for w in run(self.program, "worst", *scanners):
                self.worst.setdefault(w["row"], []).append(w["ns_per_byte"])

    def rounds(self):
        cases, begin, number = self.cases(), time.monotonic(), 0
        fewest, most = (3, 3) if self.quick else (7, 100)
        while number < most:
            self.round(cases, number)
            number += 1
            spent = time.monotonic() - begin
            left = min((most - number) * spent / number, max(self.limit - spent, (fewest - number) * spent / number))
            say(f"round {number}, {spent:.0f} s; {max(left, 0):.0f} s to go")
            if number >= fewest and spent * (number + 1) / number > self.limit:
                break

    def best_other(self, packets, library):
        """The fastest row of a library against the fastest of others, of those that read the set. Our own is none of them."""
        rows = {row: t for (row, s, threads), t in self.times.items()
                if s == packets and threads == 1 and row.endswith("-needle") == (packets in SIZES)
               and not row.startswith("scanner-")}

        def fastest(some):
            return min(some, key=lambda row: statistics.median(c for c, _ in rows[row]), default=None)

        row, other = (fastest([r for r in rows if r.startswith(library) == own]) for own in (True, False))
        if row and other:
            self.put(f"cpp/{packets}/{library}/over-best-other", [o[0] / r[0] for r, o in zip(rows[row], rows[other])])

    def put(self, name, values, unit=""):
        self.figures[name] = median(values, unit)

    def evaluate(self):
        times = self.times
        for (row, packets, threads), values in times.items():
            wall = [w for _, w in values]
            if threads == 1:
                self.put(f"cpp/{packets}/{row}/ns", [c for c, _ in values], "ns")
            if (row, packets, self.levels[-1]) not in times:
                continue
            one = [w for _, w in times[row, packets, 1]]
            for name in [str(threads)] + (["all"] if threads == self.levels[-1] else []):
                self.put(f"cpp/{packets}/{name}/{row}/wall", wall, "ns")
                self.put(f"cpp/{packets}/{name}/{row}/time-of-one", [w / o for w, o in zip(wall, one)])
        for packets in SETS:
            for search in ("", "-needle"):
                for mark, pairs in (("over", OVER), ("time-of", TIME_OF)):
                    for x, y in pairs:
                        x, y = x + search, y + search
                        a, b = times.get((x, packets, 1)), times.get((y, packets, 1))
                        if a and b:
                            ratios = [p[0] / q[0] for p, q in zip(a, b)]
                            self.put(f"cpp/{packets}/{x}/{mark}-{y}", ratios if mark == "time-of" else [1 / r for r in ratios])
                for heap, arena, other in HEAP_OVER:
                    three = [times.get((row + search, packets, 1)) for row in (heap, arena, other)]
                    if all(three):
                        self.put(f"cpp/{packets}/{heap}{search}/heap-over-{other}{search}",
                                 [(h[0] - a[0]) / o[0] for h, a, o in zip(*three)])
        for packets in SETS + SIZES:
            self.best_other(packets, "simdjson")
        for row, values in self.worst.items():
            self.put(f"cpp/adversarial/{row}/ns-per-byte", values, "ns")


def machine(comparison, load_before, others, lost):
    info = read("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*)$", info, re.M)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", info, re.M)
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    vectors = ("avx2", "bmi2", "avx512bw", "avx512_vbmi2", "asimd", "sve")  # as lab/report has them

    def git(*arguments):
        done = subprocess.run(["git", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout.strip()

    return {
        "CPU": model[1] if model else "unknown", "Cores": len(comparison.cpus),
        "Features": [f for f in (flags[1].split() if flags else []) if f in vectors],
        "OS": platform.system().lower(), "Arch": arch, "Go": "", "Flags": [comparison.notes["compiler"]],
        "Commit": git("rev-parse", "--short=12", "HEAD"), "Dirty": bool(git("status", "--porcelain")),
        "Core": str(comparison.cpus[0]), "Others": f"{others:.2f}", "Stolen": f"{lost:.4f}",
        "LoadBefore": round(load_before, 2), "LoadAfter": round(os.getloadavg()[0], 2),
    }


def preliminary(comparison, others, lost):
    """Reasons not to publish the run: those of the lab."""
    why = []
    if comparison.quick:
        why.append("measurements were short")
    if others > 0.1 * len(comparison.cpus):
        why.append(f"other processes kept {others:.1f} of {len(comparison.cpus)} cores busy")
    if lost > STOLEN:
        why.append(f"other virtual machines took {100 * lost:.1f}% of the processor time, more than {100 * STOLEN:.0f}%")
    measured = [f for f in comparison.figures.values() if f.get("rounds")]
    wide = sum(f["hi"] - f["lo"] > 0.2 * f["value"] for f in measured)
    if wide > len(measured) / 5:
        why.append(f"{wide} of {len(measured)} intervals are wider than 20%")
    return why


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="a first look, in half a minute; preliminary")
    parser.add_argument("--limit", type=float, default=210, help="seconds, but at least seven rounds, and at most a hundred")
    o = parser.parse_args()
    load, taken = os.getloadavg()[0], datetime.datetime.now(datetime.timezone.utc)
    begin, busy_before, mine_before, stolen_before = time.monotonic(), busy(), mine(), stolen()
    comparison = Comparison(o.folder, o.quick, o.limit)
    comparison.count()
    comparison.rounds()
    comparison.evaluate()
    lost = max(0, stolen() - stolen_before) / max(busy() - busy_before, 1e-9)
    others = max(0, busy() - busy_before - (mine() - mine_before)) / (time.monotonic() - begin)
    o.file.parent.mkdir(parents=True, exist_ok=True)
    o.file.write_text(sealed(json.dumps({
        "taken": taken.isoformat(timespec="seconds").replace("+00:00", "Z"), "command": COMMAND,
        "machine": machine(comparison, load, others, lost), "notes": dict(sorted(comparison.notes.items())),
        **({"preliminary": why} if (why := preliminary(comparison, others, lost)) else {}),
        "figures": dict(sorted(comparison.figures.items()))}, indent=1, ensure_ascii=False) + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
