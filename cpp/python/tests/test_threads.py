"""The GIL, shared engines, a shared scanner, and buffers while they are read."""
import random
import sys
import threading
import time

import pytest
from test_verdict import packets_of

from rtbwire_scan import Engine, Outcome, Scanner


@pytest.fixture
def no_switches():
    """Switches off the switch interval, so that other threads run only if the GIL is released."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


def malicious_meanwhile(scan):
    """Returns whether scan(packet) saw what another thread wrote to the packet after the call.

    The other thread writes as soon as it gets the GIL. This one has the GIL from go to the
    end of the call and no switch is forced, so a written packet in the answer proves that
    scan gave it away. (That the packet changes under the scanner is what one should not do.)
    """
    packet = bytearray(b'["a script"]' + b" " * 1000)
    go, ended = [], []

    def write():
        while not go:
            time.sleep(0)
        packet[2:4] = b" <"
        ended.append(True)

    thread = threading.Thread(target=write)
    thread.start()
    go.append(True)
    answer = scan(packet)
    seen = bool(ended), answer
    thread.join()
    return seen


def tries(scan, malicious):
    """Returns how often of 20 times the other thread ran; a busy machine may wake it too late."""
    for attempt in range(20):
        ran, answer = malicious_meanwhile(scan)
        if malicious(answer):
            assert ran
            return True
        assert not ran or answer is not None
    return False


def test_scan_batch_releases_the_gil(engine, no_switches):
    scanner = Scanner(engine)
    assert tries(lambda packet: scanner.scan_batch([packet] * 50_000),
                 lambda verdicts: any(v.outcome is Outcome.MALICIOUS for v in verdicts))


def test_scan_offsets_releases_the_gil(engine, no_switches):
    scanner = Scanner(engine, packet_max=1500)
    assert tries(lambda packet: b"".join(scanner.scan_offsets(packet, [0, len(packet)]) for _ in range(20_000)),
                 lambda outcomes: Outcome.MALICIOUS in outcomes)


def test_a_short_scan_keeps_the_gil(engine, no_switches):
    """The control: the same measurement for a call that does not release the GIL."""
    scanner = Scanner(engine)
    assert not tries(lambda packet: [scanner.scan(packet) for _ in range(5_000)],
                     lambda verdicts: any(v.outcome is Outcome.MALICIOUS for v in verdicts))


def in_threads(*works):
    """Runs all at the same time, and raises what one of them raises."""
    raised, start = [], threading.Barrier(len(works))

    def run(work):
        start.wait()
        try:
            work()
        except BaseException as error:  # pytest sees only those of the main thread
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_threads_share_an_engine(engine):
    def work(seed):
        scanner = Scanner(engine, packet_max=1500)
        packets = packets_of(seed, 1500)
        alone = [Scanner(engine, packet_max=1500).scan(p) for p in packets]
        for _ in range(10):
            assert scanner.scan_batch(packets) == alone

    in_threads(*(lambda seed=seed: work(seed) for seed in range(4)))


def test_threads_share_a_scanner(engine):
    """Threads may share a scanner, though they should not: batches, long and short packets."""
    scanner = Scanner(engine, packet_max=20_000)
    long = b'["' + b"x" * 15_000 + b'<script"]'

    def batches(seed):
        packets = packets_of(seed, 1200)
        alone = [Scanner(engine, packet_max=20_000).scan(p) for p in packets]
        for _ in range(10):
            assert scanner.scan_batch(packets) == alone

    def singles():
        for _ in range(600):
            assert scanner.scan(b'["<script"]').match_offset == 2
            assert scanner.scan(long).match_offset == 15_002
            assert scanner.scan_offsets(long, [0, len(long)]) == bytes([Outcome.MALICIOUS])

    in_threads(lambda: batches(1), lambda: batches(2), singles, singles)


def test_a_bytearray_in_a_batch_can_not_be_resized(engine, no_switches):
    scanner = Scanner(engine)
    for _ in range(20):
        packet, go, said = bytearray(b"[" + b"1," * 400 + b"1]"), [], []

        def resize():
            while not go:
                time.sleep(0)
            try:
                packet.extend(b" " * 100_000)
                said.append("resized")
            except BufferError:
                said.append("refused")

        thread = threading.Thread(target=resize)
        thread.start()
        go.append(True)
        verdicts = scanner.scan_batch([packet] * 50_000)
        meanwhile = list(said)
        thread.join()
        assert all(v.outcome is Outcome.CLEAN for v in verdicts)
        assert "resized" not in meanwhile
        if meanwhile == ["refused"]:
            break
    else:
        pytest.fail("the other thread never ran while a batch was scanned")
    packet.extend(b" ")  # not exported any more


def test_engines_die_while_scanners_live():
    scanners = [Scanner(Engine([("a", f"word{i}", "")])) for i in range(50)]
    random.Random(1).shuffle(scanners)
    for scanner in scanners:
        literal = scanner.engine.patterns[0][1]
        assert scanner.scan(f'["{literal}"]'.encode()).pattern == "a"
