"""Shared by all tests: the test data of the repository, and ways to write JSON."""
import json
import pathlib

import pytest

import rtbwire_scan

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAYLOAD = ROOT / "testdata" / "payload"


def rows(name):
    """Returns the rows of a table of testdata/payload."""
    lines = (PAYLOAD / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line]


def quoted(text, escaped):
    """Returns a JSON string; escaped writes every character as \\u and four digits."""
    if not escaped:
        return json.dumps(text, ensure_ascii=False)
    units = text.encode("utf-16-be")
    return '"' + "".join("\\u" + units[i : i + 2].hex() for i in range(0, len(units), 2)) + '"'


@pytest.fixture(scope="session")
def patterns():
    return json.loads((PAYLOAD / "patterns.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def faults():
    return json.loads((ROOT / "testdata" / "faults.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def engine():
    return rtbwire_scan.Engine()


@pytest.fixture
def scanner(engine):
    return rtbwire_scan.Scanner(engine)
