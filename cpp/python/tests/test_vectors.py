"""The test vectors of testdata/payload, which the tests in C++ also use."""
import pytest
from conftest import ROOT, quoted, rows

from rtbwire_scan import Engine, Outcome, Scanner, kernels


@pytest.fixture(scope="module", params=kernels())
def kernel(request):
    return request.param


def shapes(text):
    """Returns a string as value, key and root, nested, and in a packet that is cut."""
    yield f"[{text}]"
    yield f"{{{text}:1}}"
    yield text
    yield f'{{"a":[{{"b":{text}}}]}}'
    yield f'{{"a":{text}'


def test_default_patterns_are_the_data(patterns, engine):
    assert engine.patterns == tuple((p["id"], p["literal"], p["why"]) for p in patterns)


def test_found_as_they_are(patterns, kernel):
    scanner = Scanner(Engine(kernel=kernel))
    for pattern in patterns:
        for text in pattern["found"]:
            for written in (text, text.upper() if text.isascii() else text):
                for escaped in (False, True):
                    for packet in shapes(quoted(written, escaped)):
                        verdict = scanner.scan(packet.encode())
                        assert verdict.outcome is Outcome.MALICIOUS, packet
                        assert pattern["id"] in verdict.patterns, packet
                        assert not verdict.layered, packet


def test_layered_need_layers(patterns, kernel):
    bare, layered = Scanner(Engine(kernel=kernel)), Scanner(Engine(kernel=kernel, layers="all"))
    for pattern in patterns:
        for text in pattern["layered"]:
            packet = f'{{"a":{quoted(text, False)}}}'.encode()
            assert pattern["id"] not in bare.scan(packet).patterns, packet
            assert pattern["id"] in layered.scan(packet).patterns, packet


def test_absent_and_harmless_are_clean(patterns, kernel):
    scanner = Scanner(Engine(kernel=kernel, layers="all"))
    texts = [text for pattern in patterns for text in pattern["absent"]]
    texts += [text for _, text in rows("harmless.tsv")]
    packets = [f'{{"a":{quoted(text, escaped)}}}'.encode() for text in texts for escaped in (False, True)]
    for packet, verdict in zip(packets, scanner.scan_batch(packets)):
        assert verdict.outcome is Outcome.CLEAN, (packet, verdict)


def test_alarming_are_found(kernel):
    scanner = Scanner(Engine(kernel=kernel))
    for pattern, text, _ in rows("alarming.tsv"):
        assert pattern in scanner.scan(quoted(text, False).encode()).patterns, text


def test_responses_are_counted_as_the_data_says(kernel):
    packets = (ROOT / "testdata" / "corpus" / "responses.ndjson").read_bytes().splitlines()
    for column, layers in ((1, ()), (2, "all")):
        verdicts = Scanner(Engine(kernel=kernel, layers=layers), packet_max=1 << 20).scan_batch(packets)
        counts = {}
        for verdict in verdicts:
            # A verdict lists at most 16; the data has no packet with more.
            assert verdict.pattern_count == len(verdict.patterns)
            for pattern in verdict.patterns:
                counts[pattern] = counts.get(pattern, 0) + 1
        assert counts == {row[0]: int(row[column]) for row in rows("responses.tsv") if int(row[column])}


def test_real_requests_are_clean(kernel):
    packets = (ROOT / "testdata" / "corpus" / "requests.ndjson").read_bytes().splitlines()
    assert len(packets) > 1000
    verdicts = Scanner(Engine(kernel=kernel, layers="all"), packet_max=1 << 20).scan_batch(packets)
    assert not [v for v in verdicts if v.outcome is Outcome.MALICIOUS]
