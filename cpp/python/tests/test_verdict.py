"""Verdicts, and that the three ways to scan agree."""
import array
import json
import pickle
import random

import pytest

from rtbwire_scan import Engine, ErrorCode, Outcome, Scanner, default_patterns, kernels, layers

BAD = b"<script"

# packet, outcome, error, error_offset
STRICT = [
    (b'{"a":[1,true,null,"x"]}', Outcome.CLEAN, ErrorCode.NONE, None),
    (b"", Outcome.MALFORMED, ErrorCode.EMPTY, 0),
    (b'{"a":', Outcome.MALFORMED, ErrorCode.TRUNCATED, 5),
    (b"{]", Outcome.MALFORMED, ErrorCode.SYNTAX, 1),
    (b"[] []", Outcome.MALFORMED, ErrorCode.TRAILING, 3),
    (b"[01]", Outcome.MALFORMED, ErrorCode.NUMBER, 2),
    (b"[nul]", Outcome.MALFORMED, ErrorCode.SYNTAX, 4),
    (b'["\x01"]', Outcome.MALFORMED, ErrorCode.CONTROL, 2),
    (b'["\\x"]', Outcome.MALFORMED, ErrorCode.ESCAPE, 3),
    (b'["\\udc00"]', Outcome.MALFORMED, ErrorCode.SURROGATE, 2),
    (b'["\xff"]', Outcome.MALFORMED, ErrorCode.UTF8, 2),
    (b"[" * 257 + b"]" * 257, Outcome.TOO_DEEP, ErrorCode.DEPTH, 256),
    (b"[" * 256 + b"]" * 256, Outcome.CLEAN, ErrorCode.NONE, None),
    (b" " * 65535 + b"1", Outcome.TOO_LARGE, ErrorCode.NONE, None),
    (b" " * 65534 + b"1", Outcome.CLEAN, ErrorCode.NONE, None),
]


@pytest.mark.parametrize("packet, outcome, error, offset", STRICT, ids=lambda v: str(v)[:24])
def test_strict(scanner, packet, outcome, error, offset):
    verdict = scanner.scan(packet)
    assert (verdict.outcome, verdict.error, verdict.error_offset) == (outcome, error, offset)
    assert verdict.pattern is None and verdict.patterns == () and verdict.pattern_count == 0
    assert verdict.pointer is None and verdict.match_offset is None
    assert verdict.refuse() == verdict.refuse(fail_closed=True) == (outcome is not Outcome.CLEAN)
    assert verdict.refuse(fail_closed=False) is False


def test_errors_have_the_names_of_the_table(engine, faults):
    scanner = Scanner(engine, depth_max=1024)
    names = {"NONE"}
    for row in faults:
        if row["scanner"] is None:
            continue
        name = row["scanner"].replace("RTBWIRE_ERROR_", "")
        names.add(name)
        for example in row["examples"]:
            text = bytes.fromhex(example["hex"]) if "hex" in example else example["text"].encode()
            verdict = scanner.scan(text)
            assert (verdict.error, verdict.error_offset) == (ErrorCode[name], example["offset"])
            assert verdict.as_dict()["error"] == row["fault"]
    assert names == {error.name for error in ErrorCode}


def test_malicious(scanner):
    verdict = scanner.scan(b'{"a~b/c":[0,{"k":"x \\u003cScript> javascript:"}]}')
    assert verdict.outcome is Outcome.MALICIOUS and verdict.error is ErrorCode.NONE
    assert verdict.pattern == "xss.script-tag" and verdict.pointer == "/a~0b~1c/1/k"
    assert verdict.match_offset == 20 and verdict.pattern_count == len(verdict.patterns)
    assert {"xss.script-tag", "url.javascript"} <= set(verdict.patterns)
    assert not verdict.in_key and not verdict.layered and not verdict.pointer_truncated
    assert verdict.refuse(fail_closed=False) and verdict.refuse()


def test_malicious_and_malformed(scanner):
    verdict = scanner.scan(b'{"<script":1,}')
    assert verdict.outcome is Outcome.MALICIOUS and verdict.in_key and verdict.pointer == "/<script"
    assert verdict.error is ErrorCode.SYNTAX and verdict.error_offset == 13


def test_no_pointer_where_the_text_before_is_not_json(scanner):
    verdict = scanner.scan(b'{]"<script"')
    assert verdict.outcome is Outcome.MALICIOUS and verdict.pointer is None and verdict.match_offset == 3


def test_a_long_pointer_is_cut(scanner):
    key = "é" * 200
    verdict = scanner.scan(json.dumps({key: "<script"}, ensure_ascii=False).encode())
    assert verdict.pointer_truncated
    # 159 bytes: the slash and 79 characters.
    assert verdict.pointer == "/" + key[:79]
    cut = scanner.scan(json.dumps({"x" + key: "<script"}, ensure_ascii=False).encode())
    assert cut.pointer == "/x" + key[:78] + "\N{REPLACEMENT CHARACTER}"


def test_more_patterns_than_are_named():
    engine = Engine([(f"p{i}", f"word{i:02}x", "") for i in range(40)])
    packet = json.dumps([f"word{i:02}x" for i in reversed(range(40))]).encode()
    verdict = Scanner(engine).scan(packet)
    assert verdict.pattern == "p39" and verdict.pattern_count == 40
    assert verdict.patterns == tuple(f"p{i}" for i in range(16))


def test_detect_mode_only_finds(engine):
    scanner = Scanner(engine, mode="detect")
    assert scanner.scan(b'{"a":').outcome is Outcome.CLEAN
    assert scanner.scan(b'{"a":"<script').outcome is Outcome.MALICIOUS


def test_custom_patterns():
    engine = Engine(iter([("drink", "Coffee", "late"), ["drink", "tea", "early"]]))
    assert engine.patterns == (("drink", "Coffee", "late"), ("drink", "tea", "early"))
    scanner = Scanner(engine)
    verdict = scanner.scan(b'["COFFEE and TEA"]')
    assert verdict.pattern == "drink" and verdict.patterns == ("drink", "drink")
    assert scanner.scan(b'["<script"]').outcome is Outcome.CLEAN


def test_default_patterns_can_be_added_to():
    scanner = Scanner(Engine([*default_patterns(), ("own", "zzyzx", "mine")]))
    assert scanner.scan(b'["Zzyzx"]').pattern == "own"
    assert scanner.scan(b'["<script"]').pattern == "xss.script-tag"


@pytest.mark.parametrize("layer, text", [
    ("percent", "%3cscript"), ("entity", "&lt;script"), ("fullwidth", "\uff1cscript"),
    ("twice", "\\u003cscript"), ("squeeze", "<s/**/cript"),
])
def test_each_layer(layer, text):
    packet = json.dumps([text], ensure_ascii=False).encode()
    for chosen in layers():
        engine = Engine(layers=[chosen])
        assert engine.layers == (chosen,)
        verdict = Scanner(engine).scan(packet)
        assert ("xss.script-tag" in verdict.patterns) == (chosen == layer)
        assert verdict.layered == (chosen == layer)


def test_properties(engine):
    scanner = Scanner(engine, mode="detect", packet_max=1500, depth_max=8)
    assert scanner.engine is engine
    assert (scanner.mode, scanner.packet_max, scanner.depth_max) == ("detect", 1500, 8)
    assert engine.kernel in kernels() and engine.kernel != "best" and engine.layers == ()
    assert set(Engine(layers="all").layers) == set(layers())
    with pytest.raises(AttributeError):
        engine.kernel = "scalar"
    with pytest.raises(AttributeError):
        scanner.scan(b"1").outcome = Outcome.CLEAN


def test_every_kernel_by_name():
    for kernel in kernels():
        assert kernel == "best" or Engine(kernel=kernel).kernel == kernel


def test_verdicts_are_values(scanner):
    a, b = scanner.scan(b'["<script"]'), scanner.scan(bytearray(b'["<script"]'))
    assert a == b and hash(a) == hash(b) and a is not b
    assert a != scanner.scan(b'[ "<script"]') and a != "something else"
    assert len({a, b, scanner.scan(b"1"), scanner.scan(b"2")}) == 2


def test_verdicts_outlive_everything():
    verdict = Scanner(Engine([("an id", "tea", "")])).scan(bytearray(b'{"k":"tea"}'))
    assert (verdict.pattern, verdict.pointer) == ("an id", "/k")


def test_as_dict_is_for_json(scanner):
    for packet in (b"1", b"[", b'["<script"', b'{]"<script"'):
        verdict = scanner.scan(packet)
        said = json.loads(json.dumps(verdict.as_dict()))
        for name, value in said.items():
            if name in ("outcome", "error"):
                continue
            have = getattr(verdict, name)
            assert value == (list(have) if isinstance(have, tuple) else have), name


def test_repr(scanner, engine):
    assert repr(scanner.scan(b'{"a":["<script"')) == (
        "<Verdict: malicious, 'xss.script-tag' at byte 7 in '/a/0', truncated at byte 15>")
    assert repr(engine) == f"<Engine: {len(default_patterns())} patterns, {engine.kernel}>"
    assert repr(scanner) == "<Scanner: strict, 65535 bytes, 256 levels>"


def test_enums_are_pickled_by_name():
    for value in (*Outcome, *ErrorCode):
        assert pickle.loads(pickle.dumps(value)) is value


def packets_of(seed, count):
    """Makes valid, cut, changed and malicious packets of up to some thousand bytes."""
    pick = random.Random(seed)
    out = []
    for _ in range(count):
        value = {f"k{i}": ["x" * pick.randrange(40)] * pick.randrange(8) for i in range(pick.randrange(20))}
        if pick.random() < 0.3:
            value["bad"] = "\t" + BAD.decode()
        packet = bytearray(json.dumps(value).encode())
        if packet and pick.random() < 0.3:
            packet[pick.randrange(len(packet))] = pick.randrange(256)
        if pick.random() < 0.2:
            del packet[pick.randrange(len(packet) + 1):]
        out.append(bytes(packet))
    return out


@pytest.mark.parametrize("mode", ["strict", "detect"])
@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 3000])
def test_batch_and_offsets_equal_single(engine, mode, count):
    scanner = Scanner(engine, mode=mode, packet_max=1500)
    packets = packets_of(7 + count, count)
    single = [scanner.scan(p) for p in packets]
    assert scanner.scan_batch(packets) == single
    assert scanner.scan_batch(p for p in packets) == single
    offsets = [0]
    for packet in packets:
        offsets.append(offsets[-1] + len(packet))
    outcomes = scanner.scan_offsets(b"".join(packets), offsets)
    assert isinstance(outcomes, bytes) and list(outcomes) == [v.outcome for v in single]
    if count == 3000:
        assert len(set(outcomes)) >= (3 if mode == "strict" else 2)
    for code in "iIlLqQ":
        assert scanner.scan_offsets(b"".join(packets), array.array(code, offsets)) == outcomes


def test_offsets_may_leave_out_and_start_late(scanner):
    buffer = b'xx["<script"]'
    assert scanner.scan_offsets(buffer, [2, 13]) == bytes([Outcome.MALICIOUS])
    assert scanner.scan_offsets(buffer, [2, 2, 13]) == bytes([Outcome.MALFORMED, Outcome.MALICIOUS])
    assert scanner.scan_offsets(b"", [0]) == b""


def test_numpy(scanner):
    numpy = pytest.importorskip("numpy")
    buffer = numpy.frombuffer(b'[1][2]["<script"]', dtype=numpy.uint8)
    for dtype in ("int32", "uint32", "int64", "uint64"):
        offsets = numpy.array([0, 3, 6, 17], dtype=dtype)
        assert scanner.scan_offsets(buffer, offsets) == bytes([0, 0, 1])
        with pytest.raises(ValueError, match="contiguous"):
            scanner.scan_offsets(buffer, offsets[::2])
    with pytest.raises(TypeError, match="format"):
        scanner.scan_offsets(buffer, numpy.array([0, 3], dtype=">u8"))
    with pytest.raises(TypeError, match="dimension"):
        scanner.scan_offsets(buffer, numpy.array([[0, 3]], dtype="uint64"))
    assert scanner.scan(buffer[6:]).pattern == "xss.script-tag"
