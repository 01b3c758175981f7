#!/usr/bin/env python3
"""Tests what compare.py computes, with a program that prints times instead of measuring them."""

import json
import pathlib
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
import table  # noqa: E402

# Each run is slower than the one before. The arena always takes half of malloc's time, and two
# threads take twice the time of one.
PROGRAM = """\
    #!{python}
    import json, pathlib, sys
    runs = pathlib.Path(sys.argv[0] + ".runs")
    rows = ["yyjson-malloc-needle", "yyjson-arena-needle", "yyjson-4096"]
    if sys.argv[1] == "rows":
        print(json.dumps({{"notes": {{"malloc": "glibc 1", "compiler": "c"}}, "rows": rows,
                          "sets": {{"packets": {{"packets": 3, "bytes": 300}}}}}}))
    if sys.argv[1] == "count":
        for row in rows:
            small = row == "yyjson-4096"
            print(json.dumps({{"row": row, "set": "packets", "heap": 2, "heap_first": 3, "isspace": 0, "localeconv": 1,
                              "arena": 0, "malicious": 1, "missed": 0, "answers": [1, 1, 0, 1] if small else [1, 1, 1, 0]}}))
    if sys.argv[1] == "time":
        run = len(runs.read_text()) + 1 if runs.exists() else 1
        runs.write_text("x" * run)
        for line in sys.stdin:
            row, packets, threads = line.split()
            ns = 100 * run / (2 if "arena" in row else 1)
            print(json.dumps({{"row": row, "set": packets, "threads": int(threads), "cpu": ns, "wall": ns * int(threads),
                              "answers": {answers}}}))
"""


class Compare(unittest.TestCase):
    def comparison(self, answers="[4, 4, 4, 0]"):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("scan_bench", "scan_bench_count"):
            program = pathlib.Path(folder.name, name)
            program.write_text(textwrap.dedent(PROGRAM).format(python=sys.executable, answers=answers), encoding="utf-8")
            program.chmod(0o700)
        self.addCleanup(setattr, compare, "libraries", compare.libraries)
        self.addCleanup(setattr, compare, "say", compare.say)
        compare.libraries, compare.say = lambda: {}, lambda text: None
        c = compare.Comparison(folder.name, quick=True, limit=1)
        c.cpus, c.levels = [0, 1], [1, 2]
        return c

    def test_figures(self):
        c = self.comparison()
        c.count()
        c.rounds()
        c.evaluate()

        def value(name):
            return c.figures["cpp/packets/" + name]["value"]

        self.assertEqual(c.figures["cpp/packets/yyjson-malloc-needle/ns"],
                         {"value": 200, "lo": 100, "hi": 300, "unit": "ns", "rounds": 3})
        # Rounds differ by a factor of three, the ratio does not.
        self.assertEqual(c.figures["cpp/packets/yyjson-arena-needle/over-yyjson-malloc-needle"],
                         {"value": 2, "lo": 2, "hi": 2, "rounds": 3})
        self.assertEqual(value("all/yyjson-arena-needle/time-of-one"), 2)
        self.assertEqual(value("2/yyjson-malloc-needle/wall"), 400)
        self.assertEqual(value("yyjson-malloc-needle/heap-calls"), 2)
        self.assertEqual(value("yyjson-malloc-needle/first-heap-calls"), 3)
        self.assertAlmostEqual(value("yyjson-4096/refused"), 1 / 3, places=4)
        self.assertNotIn("cpp/packets/yyjson-4096/ns", c.figures)  # refusing is fast

    def test_sizes_are_for_parsers(self):
        c = self.comparison()
        answers = [3, 0, 0, 0]
        c.answers = {(row, size): answers for row in ("yyjson-malloc", "yyjson-malloc-needle", "find-needle", "scanner-strict-avx2")
                     for size in ("4KB", "valid")}
        c.left_out = []
        timed = {(row, size) for row, size, _ in c.cases()[None]}
        self.assertEqual({row for row, size in timed if size == "4KB"}, {"yyjson-malloc-needle", "scanner-strict-avx2"})
        self.assertEqual(len([row for row, size in timed if size == "valid"]), 4)

    def test_verdicts_are_checked_while_they_are_timed(self):
        c = self.comparison(answers="[5, 3, 4, 0]")
        c.count()
        with self.assertRaisesRegex(SystemExit, "not always the same"):
            c.rounds()

    def test_median(self):
        for n, low in ((1, 1), (3, 1), (5, 1), (6, 1), (9, 2), (15, 4)):  # as benchstat: the first with at least 95%
            m = compare.median(list(range(n, 0, -1)))
            self.assertEqual((m["value"], m["lo"], m["hi"]), ((n + 1) / 2, low, n + 1 - low), n)

    def test_runs_are_combined(self):
        def run(taken, value, lo, hi):
            return {"taken": taken, "figures": {"a": {"value": value, "lo": lo, "hi": hi, "unit": "ns", "rounds": 7}}}

        first, second, third = (run("2026-01-01T00:00:00Z", 5, 4, 6), run("2026-01-01T01:00:00Z", 6, 2, 7),
                                run("2026-01-01T02:00:00Z", 8, 1, 90))
        close = run("2026-01-01T01:20:00Z", 8, 1, 90)
        for runs, want in (([first], (5, 4, 6, 7)), ([first, second], (5.5, 2, 7, 14)), ([first, second, third], (6, 5, 8, 21)),
                           ([first, second, close], (6, 1, 90, 21))):
            f = table.combined("a", runs)
            self.assertEqual((f["value"], f["lo"], f["hi"], f["rounds"]), want)

    def test_seal(self):
        text = compare.sealed('{\n "figures": {}\n}\n')
        first, second, rest = text.split("\n", 2)
        self.assertEqual((first, rest), ("{", ' "figures": {}\n}\n'))
        # What "sha256sum" says of the text without the line.
        self.assertEqual(second, ' "sum": "%s",' % compare.hashlib.sha256(b'{\n "figures": {}\n}\n').hexdigest())

    def test_levels(self):
        self.assertEqual(compare.levels(2, 2), [1, 2])
        self.assertEqual(compare.levels(96, 192), [1, 2, 4, 8, 16, 32, 64, 96, 192])
        self.assertEqual(compare.levels(1, 1), [1])


if __name__ == "__main__":
    unittest.main()
