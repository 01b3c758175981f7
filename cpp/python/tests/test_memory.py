"""Reference counts stay the same, memory does not grow, and nothing is left at exit."""
import array
import gc
import subprocess
import sys
import tracemalloc

import pytest

from rtbwire_scan import Engine, Scanner, default_patterns


def test_references(engine):
    scanner = Scanner(engine)
    packet, offsets = bytearray(b'["<script"]'), array.array("Q", [0, 11])
    rows = [("an id", "literal", "why")]
    packets = [packet] * 100
    watched = (engine, scanner, packet, offsets, packets, rows, rows[0], rows[0][0], None, b"", default_patterns)

    def use():
        scanner.scan(packet)
        scanner.scan_batch(packets)
        scanner.scan_offsets(packet, offsets)
        Scanner(engine).engine
        own = Engine(rows)
        verdict = Scanner(own).scan(b'["literal"]')
        repr((own, verdict)), verdict.as_dict(), verdict == verdict, hash(verdict), verdict.pattern
        own.patterns, own.layers
        for bad in (lambda: scanner.scan("x"), lambda: scanner.scan_batch([packet, 3]),
                    lambda: scanner.scan_batch([packet, memoryview(packet)[::2]]),
                    lambda: scanner.scan_offsets(packet, [0, 99]), lambda: scanner.scan_offsets(packet, "x"),
                    lambda: Engine([*rows, 3]), lambda: Scanner(engine, mode="x"), lambda: verdict != 3):
            try:
                bad()
            except (TypeError, ValueError):
                pass

    use()
    gc.collect()
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(200):
        use()
    gc.collect()
    after = [sys.getrefcount(one) for one in watched]
    # The interpreter changes the count of None a little; a leak would add 200 or more.
    assert all(abs(b - a) < 50 for a, b in zip(before, after)), list(zip(before, after))
    assert before[:8] == after[:8]
    packet.append(0)  # raises if the buffer is still exported


def test_a_scanner_keeps_its_engine_and_lets_it_go():
    engine = Engine([("a", "b", "c")])
    alone = sys.getrefcount(engine)
    scanner = Scanner(engine)
    assert sys.getrefcount(engine) == alone + 1
    verdict = scanner.scan(b'["b"]')
    assert sys.getrefcount(engine) == alone + 1
    del scanner
    assert sys.getrefcount(engine) == alone and verdict.pattern == "a"


def test_memory_of_python_does_not_grow(engine):
    scanner = Scanner(engine)
    packets = [b'{"a":["<script"]}', b"[", b"1"] * 500
    offsets = array.array("Q", [0, 3, 6])

    def use():
        for verdict in scanner.scan_batch(packets):
            verdict.patterns, verdict.pointer, verdict.outcome
        scanner.scan_offsets(b"[1][2]", offsets)

    tracemalloc.start()
    try:
        use()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            use()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # A batch makes 1,500 objects, so keeping one of 20 batches would be visible.
    assert grown < 16_384


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_of_the_process_does_not_grow():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4096

    def use():
        scanner = Scanner(Engine(), packet_max=1 << 20)
        scanner.scan_batch([b" " * 100_000 + b"1"] * 20)

    for _ in range(20):
        use()
    before = resident()
    for _ in range(200):
        use()
    # 200 scanners that are not freed would need more than a gigabyte.
    assert resident() - before < 64 << 20


def test_nothing_is_left_at_exit():
    code = (
        "import rtbwire_scan as r\n"
        "s = r.Scanner(r.Engine())\n"
        "v = s.scan_batch([b'[\"<script\"]'] * 1000)\n"
        "s.scan_offsets(b'[1]', [0, 3])\n"
        "try: s.scan(3)\n"
        "except TypeError: pass\n"
        "del s, v\n"
    )
    # nanobind lists on stderr what is still alive when the interpreter ends.
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
