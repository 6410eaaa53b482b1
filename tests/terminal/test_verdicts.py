"""Verdicts as a program reads them."""

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from attn_kata.checker.report.report import Report
from attn_kata.terminal.formats import Format
from attn_kata.terminal.source import lines_of
from attn_kata.terminal.verdicts import Manner, Verdicts


def test_nothing_in_json_steers_a_terminal():
    """A name with control characters is escaped in JSON, and read back as it is."""
    written = []
    screen: Any = SimpleNamespace(
        waiting=lambda text: nullcontext(),
        say=lambda *a, **k: "",
        write=written.append,
        language="en",
    )
    name = "x\x1b[31m\x7f\x9b31my注意"
    report = Report(kata="v1", file="v1.py", verdict="error", object=name)
    chosen: list[Any] = [SimpleNamespace(guessed=False, file=Path("v1.py"), name="v1.py")]
    list(Verdicts(screen, chosen, Manner(form=Format.json)).shown([report]))
    assert not {char for char in written[0] if char < " " or "\x7f" <= char <= "\x9f"}
    assert json.loads(written[0])["object"] == name


def test_lines_are_those_that_python_counts(tmp_path):
    """A form feed, or a separator in a string, ends no line of an excerpt."""
    file = tmp_path / "mine.py"
    file.write_bytes("a = '\u2028'\r\n\x0c\r\nb = 2\r\n".encode())
    assert lines_of(file) == ["a = '\u2028'", "\x0c", "b = 2"]
