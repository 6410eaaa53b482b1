"""docs/cuda.md shows what the device programs get."""

import re

import pytest
from attn_kata.dev import devices
from attn_kata.dev.device_programs import PROGRAMS, RULES

_ROW = re.compile(r"^\| `(?P<name>.+?)` \| (?P<rest>.*) \|$", re.MULTILINE)


@pytest.fixture
def page(root):
    """The page that shows the table."""
    return (root / "docs" / "cuda.md").read_text("utf-8")


def test_every_program_is_shown(page):
    """A row a program, with the answer expected, the pretended one and the rule."""
    shown = {match["name"]: match["rest"].split(" | ") for match in _ROW.finditer(page)}
    assert list(shown) == [program.name for program in PROGRAMS]
    for program in PROGRAMS:
        expected = "runs" if program.runs else "refuses"
        row = shown[program.name]
        assert [row[0], row[1], row[-1]] == [expected, devices.pretended(program), program.rule]
    for name, text in RULES.items():
        assert f"- **{name}**: {text}" in page


@pytest.mark.slow
def test_the_table_is_up_to_date(page):
    """`make screens` would change nothing."""
    assert devices.filled(page) == page


def test_what_a_gpu_said_is_kept(monkeypatch):
    """A machine without a GPU keeps what one with a GPU has written."""
    monkeypatch.setattr(devices, "PROGRAMS", PROGRAMS[:2])
    monkeypatch.setattr(devices, "fake", lambda _: "–")
    monkeypatch.setattr(devices, "real", lambda _: "runs")
    empty = "before\n<!-- device programs -->\n<!-- end of device programs -->\nafter\n"
    on_gpu = devices.filled(empty)
    assert on_gpu.startswith("before\n")
    assert on_gpu.endswith("after\n")
    monkeypatch.setattr(devices, "real", lambda _: "–")
    assert devices.filled(on_gpu) == on_gpu
    assert devices.filled(empty) != on_gpu


def test_printed_where_no_file_is_named(monkeypatch, capsys):
    """The table alone goes to the screen."""
    monkeypatch.setattr(devices, "PROGRAMS", PROGRAMS[:1])
    monkeypatch.setattr(devices, "fake", lambda _: "–")
    assert devices.main([]) == 0
    assert capsys.readouterr().out.startswith("| program | expected | pretended | fake | GPU |")
