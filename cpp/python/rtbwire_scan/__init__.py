"""Finds malicious payloads in JSON packets.

Is this packet JSON, and does a string in it carry a payload (XSS, SQL, template or command
injection)? The scanner is C++ with vector instructions and reads a packet where it lies.

    import rtbwire_scan

    engine = rtbwire_scan.Engine()              # compiled patterns: one, for all threads
    scanner = rtbwire_scan.Scanner(engine)      # one for each thread
    verdict = scanner.scan(b'{"a":["\\\\u003cScript"]}')
    verdict.outcome                             # Outcome.MALICIOUS
    verdict.pattern, verdict.pointer            # ('xss.script-tag', '/a/0')
    if verdict.refuse(fail_closed=True):        # drop it

Three calls scan, from the most to be known to the least:

    Scanner.scan            one packet, a Verdict
    Scanner.scan_batch      many packets, a Verdict each, without the GIL
    Scanner.scan_offsets    many packets in one buffer, a byte each, without the GIL

A packet that is malformed, too deep or too large is not clean: what to do about it is said
with ``fail_closed`` when asking a verdict.
"""

from ._core import (
    Engine,
    ErrorCode,
    Outcome,
    Scanner,
    Verdict,
    __version__,
    default_patterns,
    kernels,
    layers,
)

__all__ = [
    "Engine",
    "ErrorCode",
    "Outcome",
    "Scanner",
    "Verdict",
    "__version__",
    "default_patterns",
    "kernels",
    "layers",
]

# Names as users write them, in help() and messages, and in what pickle writes of the enums.
for _class in (Engine, ErrorCode, Outcome, Scanner, Verdict):
    _class.__module__ = __name__
del _class
