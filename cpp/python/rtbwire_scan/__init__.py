"""Finds malicious payloads in JSON packets.

Is this packet JSON, and does a string in it carry a payload (XSS, SQL, template or command
injection)? The scanner is written in C++ with vector instructions.

    import rtbwire_scan

    engine = rtbwire_scan.Engine()              # compiled patterns: one for all threads
    scanner = rtbwire_scan.Scanner(engine)      # one per thread
    verdict = scanner.scan(b'{"a":["\\\\u003cScript"]}')
    verdict.outcome                             # Outcome.MALICIOUS
    verdict.pattern, verdict.pointer            # ('xss.script-tag', '/a/0')
    if verdict.refuse(fail_closed=True):        # drop it

Three calls scan:

    Scanner.scan            one packet; returns a Verdict
    Scanner.scan_batch      many packets, without the GIL; returns a Verdict per packet
    Scanner.scan_offsets    many packets in one buffer, without the GIL; returns a byte per packet

A packet that is malformed, too deep or too large is not clean. ``fail_closed`` decides whether
to refuse such packets.
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

# The public module name, for help(), messages and pickled enums.
for _class in (Engine, ErrorCode, Outcome, Scanner, Verdict):
    _class.__module__ = __name__
del _class
