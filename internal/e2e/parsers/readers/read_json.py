"""Python's json."""
import json
import struct
import sys


def child(value, name):
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None


def shown(value, nested=False):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, str):
        return "s" + value.encode("utf-8", "surrogatepass").hex()
    if isinstance(value, (int, float)):
        try:
            text = "n" + struct.pack(">d", float(value)).hex()
        except OverflowError:  # an integer that no double holds
            text = "n" + struct.pack(">d", float("inf" if value > 0 else "-inf")).hex()
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            text += f":{value}"
        return text
    if isinstance(value, dict):
        return "{"
    return "[" + ("" if nested else ",".join(shown(v, True) for v in value)) + "]"


def values(text, places):
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        return "refused"
    line = []
    for segments in places:
        value = root
        for name in segments:
            value = child(value, name)
        line.append(shown(value))
    return "\t".join(line)


places = [p.split("/")[1:] for p in sys.argv[1:]]
while size := sys.stdin.buffer.read(4):
    text = sys.stdin.buffer.read(struct.unpack(">I", size)[0])
    print(values(text, places), flush=True)
