"""The examples of the README run, and everything is documented and typed."""
import importlib.metadata
import io
import pathlib
import pydoc
import re
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

import rtbwire_scan

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_they_say():
    examples, outputs = blocks("python"), blocks("text")
    assert len(examples) == len(outputs) >= 2
    for example, output in zip(examples, outputs):
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(example, str(README), "exec"), {})
        assert out.getvalue() == output


@pytest.mark.parametrize("name", [n for n in rtbwire_scan.__all__ if not n.startswith("_")])
def test_everything_has_a_docstring(name):
    thing = getattr(rtbwire_scan, name)
    assert thing.__doc__ and not thing.__doc__.startswith("An enumeration")
    if isinstance(thing, type):
        for own, member in vars(thing).items():
            if not own.startswith("_") and not isinstance(member, int):
                assert member.__doc__, f"{name}.{own}"


def test_help_teaches():
    text = pydoc.render_doc(rtbwire_scan, renderer=pydoc.plaintext)
    for words in ("one per thread", "n packets have n + 1 ascending offsets", "fail_closed",
                  "releases the GIL"):
        assert words in text


def test_the_readme_names_the_whole_interface():
    text = README.read_text(encoding="utf-8")
    for name in rtbwire_scan.__all__:
        if name.startswith("_"):
            continue
        assert f"`{name}" in text, name
        thing = getattr(rtbwire_scan, name)
        if isinstance(thing, type) and not issubclass(thing, int):
            for own in vars(thing):
                if not own.startswith("_"):
                    assert f"`{own}" in text or f".{own}" in text, f"{name}.{own}"


def test_version():
    assert rtbwire_scan.__version__ == importlib.metadata.version("rtbwire-scan")


def test_types(tmp_path):
    """The examples of the README pass mypy, and a mistake does not."""
    pytest.importorskip("mypy")
    for i, example in enumerate(blocks("python")):
        (tmp_path / f"example{i}.py").write_text(example, encoding="utf-8")
    (tmp_path / "mistake.py").write_text(
        "import rtbwire_scan\nrtbwire_scan.Scanner(rtbwire_scan.Engine()).scan('text')\n", encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    good = subprocess.run([*mypy, *sorted(map(str, tmp_path.glob("example*.py")))], capture_output=True, text=True)
    assert good.returncode == 0, good.stdout + good.stderr
    bad = subprocess.run([*mypy, str(tmp_path / "mistake.py")], capture_output=True, text=True)
    assert bad.returncode == 1 and "Buffer" in bad.stdout, bad.stdout + bad.stderr
