"""Errors for bad arguments, and buffers of all kinds."""
import array
import mmap

import pytest

from rtbwire_scan import Engine, Outcome, Scanner

WORD = "x" * 64


@pytest.mark.parametrize("arguments, error, says", [
    ({"patterns": "text"}, TypeError, r"tuples \(id, literal, why\)"),
    ({"patterns": 3}, TypeError, r"tuples \(id, literal, why\)"),
    ({"patterns": []}, ValueError, "None means the default set"),
    ({"patterns": ["abc"]}, TypeError, r"patterns\[0\]: expected a tuple .* got str"),
    ({"patterns": [("a", "b", "c"), ("a", "b")]}, ValueError, r"patterns\[1\]: expected a tuple .* got 2 items"),
    ({"patterns": [("a", b"b", "c")]}, TypeError, r"patterns\[0\]: expected a tuple .* got bytes"),
    ({"patterns": [("a", "", "c")]}, ValueError, "1 to 64 ASCII characters"),
    ({"patterns": [("a", WORD + "x", "c")]}, ValueError, "1 to 64 ASCII characters"),
    ({"patterns": [("a", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "c")]}, ValueError, "1 to 64 ASCII"),
    ({"patterns": [("a", "x" * 39 + "\N{LATIN SMALL LETTER E WITH ACUTE}", "c")]}, ValueError, "1 to 64 ASCII"),
    ({"patterns": [("a", "a\0b", "c")]}, ValueError, "bad literal 'a.b' .want 1 to 64 ASCII"),
    ({"patterns": [("a", "\ud800", "c")]}, ValueError, "surrogates"),
    ({"patterns": [("a", "b", "c")] * 4097}, ValueError, "4097 are too many, or too long .want at most 4,096"),
    ({"patterns": [("a", WORD, "c")] * 1024}, ValueError, "65,534 characters"),
    ({"layers": "base64"}, ValueError, "percent, entity, fullwidth, twice, squeeze or all"),
    ({"layers": ["percent", "all"]}, ValueError, "percent, entity, fullwidth, twice, squeeze or all"),
    ({"layers": [3]}, TypeError, "names of layers as str, got int"),
    ({"layers": 3}, TypeError, "an iterable of names"),
    ({"layers": None}, TypeError, "an iterable of names"),
    ({"kernel": "mmx"}, ValueError, "this processor has best, scalar"),
    ({"kernel": 3}, TypeError, "kernel: str"),
])
def test_engine(arguments, error, says):
    with pytest.raises(error, match=says):
        Engine(**arguments)


def test_limits_of_patterns_are_as_said():
    assert len(Engine([("a", WORD, "c")]).patterns) == 1
    assert len(Engine([("a", "b", "c")] * 4096).patterns) == 4096
    # 1,023 literals of 64 characters and one of 62: 65,534.
    Engine([("a", WORD, "c")] * 1023 + [("a", "x" * 62, "c")])
    with pytest.raises(ValueError, match="65,534"):
        Engine([("a", WORD, "c")] * 1023 + [("a", "x" * 63, "c")])


@pytest.mark.parametrize("arguments, error, says", [
    ({"mode": "lax"}, ValueError, "want strict or detect"),
    ({"packet_max": 0}, ValueError, "1 to 268,435,455 bytes"),
    ({"packet_max": -1}, ValueError, "1 to 268,435,455 bytes"),
    ({"packet_max": 268435456}, ValueError, "268,435,455 bytes"),
    ({"packet_max": 1 << 80}, ValueError, "1 to 268,435,455 bytes"),
    ({"packet_max": 1.5}, TypeError, "packet_max: int"),
    ({"depth_max": 0}, ValueError, "1 to 1,048,576 levels"),
    ({"depth_max": 1048577}, ValueError, "1,048,576 levels"),
])
def test_scanner(engine, arguments, error, says):
    with pytest.raises(error, match=says):
        Scanner(engine, **arguments)


def test_scanner_of_no_engine():
    for bad in ("engine", None, Engine):
        with pytest.raises(TypeError, match="expected an Engine"):
            Scanner(bad)


def test_limits_of_depth_are_as_said(engine):
    depth = 1048576
    scanner = Scanner(engine, packet_max=3 * depth, depth_max=depth)
    assert scanner.scan(b"[" * depth + b"]" * depth).outcome is Outcome.CLEAN
    verdict = scanner.scan(b"[" * (depth + 1) + b"]" * (depth + 1))
    assert (verdict.outcome, verdict.error_offset) == (Outcome.TOO_DEEP, depth)


def test_scan(scanner):
    for bad in ("text", 3, None, [b"1"]):
        with pytest.raises(TypeError, match="buffer protocol"):
            scanner.scan(bad)


def test_scan_batch(scanner):
    for bad in (b"1", "text", bytearray(b"1"), memoryview(b"1"), 3, None):
        with pytest.raises(TypeError, match=r"scan\(\) takes one packet"):
            scanner.scan_batch(bad)
    with pytest.raises(TypeError, match=r"packets\[1\]: expected bytes, .* got int"):
        scanner.scan_batch([b"1", 2])
    with pytest.raises(ValueError, match=r"packets\[2\]: the buffer is not contiguous"):
        scanner.scan_batch([b"1", b"2", memoryview(b"1234")[::2]])

    def fails():
        yield b"1"
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        scanner.scan_batch(fails())


@pytest.mark.parametrize("offsets, error, says", [
    ([], ValueError, r"n \+ 1 offsets"),
    (array.array("Q"), ValueError, r"n \+ 1 offsets"),
    ([0, 4], ValueError, r"offsets\[1\]: 4 is beyond the buffer, which has 3 bytes"),
    ([4], ValueError, "beyond the buffer"),
    ([0, 2, 1], ValueError, r"offsets\[2\]: 1 is less than"),
    ([-1, 2], ValueError, r"offsets\[0\]: negative"),
    ([-(1 << 80), 2], ValueError, r"offsets\[0\]: negative"),
    ([0, 1 << 80], ValueError, r"offsets\[1\]: beyond any buffer"),
    (array.array("q", [0, -1]), ValueError, r"offsets\[1\]: negative"),
    (array.array("i", [-1, 0]), ValueError, r"offsets\[0\]: negative"),
    (array.array("Q", [0, (1 << 64) - 1]), ValueError, "beyond the buffer"),
    (array.array("d", [0, 1]), TypeError, "got 1 dimension.s. of format 'd'"),
    (array.array("H", [0, 1]), TypeError, "got 1 dimension.s. of format 'H'"),
    (b"\0\1", TypeError, "array"),
    ([0, 1.5], TypeError, r"offsets\[1\]: expected int, got float"),
    (3, TypeError, "iterable of int"),
    (None, TypeError, "iterable of int"),
])
def test_scan_offsets(scanner, offsets, error, says):
    with pytest.raises(error, match=says):
        scanner.scan_offsets(b"[1]", offsets)


def test_scan_offsets_of_no_buffer(scanner):
    with pytest.raises(TypeError, match="buffer: expected bytes, .* got str"):
        scanner.scan_offsets("[1]", [0, 3])
    with pytest.raises(ValueError, match="buffer: the buffer is not contiguous"):
        scanner.scan_offsets(memoryview(b"[1]   ")[::2], [0, 3])


def test_kinds_of_buffers(scanner):
    text = b'["<script"]'
    with mmap.mmap(-1, len(text)) as mapped:
        mapped[:] = text
        kinds = [text, bytearray(text), memoryview(text), memoryview(b"x" + text + b"x")[1:-1],
                 array.array("b", text), memoryview(array.array("b", text)).cast("B"), mapped]
        verdicts = [scanner.scan(kind) for kind in kinds]
        assert scanner.scan_batch(kinds) == verdicts
        assert scanner.scan_batch([mapped]) == verdicts[:1]
        assert len(set(verdicts)) == 1 and verdicts[0].pattern == "xss.script-tag"
    two = memoryview(b"1 " * 8).cast("B", (4, 4))
    assert scanner.scan(two).outcome is Outcome.MALFORMED


def test_buffers_without_bytes_in_a_row(scanner):
    backwards = memoryview(b']"tpircs<"[')[::-1]
    with pytest.raises(ValueError, match=r"packet: the buffer is not contiguous; bytes\(\) makes"):
        scanner.scan(backwards)
    assert scanner.scan(bytes(backwards)).pattern == "xss.script-tag"
    released = memoryview(b"1")
    released.release()
    with pytest.raises(ValueError, match="released"):
        scanner.scan(released)


@pytest.mark.filterwarnings("ignore:nanobind")
def test_objects_that_were_not_made(engine, scanner):
    with pytest.raises(TypeError):
        Scanner.__new__(Scanner).scan(b"1")
    with pytest.raises(TypeError):
        Scanner(Engine.__new__(Engine))
    with pytest.raises(TypeError):
        engine.__init__()
    with pytest.raises(TypeError):
        scanner.__init__(engine)
    with pytest.raises(TypeError):
        type(scanner.scan(b"1"))()
    with pytest.raises(TypeError):
        type("Own", (Scanner,), {})
    assert scanner.scan(b"1").outcome is Outcome.CLEAN
