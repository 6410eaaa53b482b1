"""Files that are hardly files, and names that are hardly names: each gets its verdict."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded

Judge = Callable[..., Report]

RIGHT = find("v1").solution()
NAMES = (
    "a b.py", "quo'te.py", 'dou"ble.py', "new\nline.py", "注意力.py", "[bold red]x[].py", "-x.py",
    "\x1b[31mred.py", "\u202etxt.py", "$(id).py", "{kata}.py", "%s.py", "no ending", b"\xff\xfe.py",
)  # fmt: skip


def message(report: Report, kind: str) -> str:
    """Return the message of an error report of this kind."""
    assert report.verdict == "error"
    assert report.error is not None
    assert report.error.kind == kind, report.error.message
    return str(report.error.message)


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_odd_names(bench: Bench, tmp_path: Path, name: str | bytes) -> None:
    """A file is judged whatever it is called, and its name comes back as it is."""
    path = tmp_path / os.fsdecode(name)
    path.write_text(RIGHT, "utf-8")
    report = worded(next(bench.judge("v1", [path], Options())), "en")
    assert report.verdict == "pass"
    assert report.file == str(path)


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbf" + RIGHT.encode(),
        RIGHT.replace("\n", "\r\n").encode(),
        RIGHT.replace("\n", "\r").encode(),
        RIGHT.rstrip("\n").encode(),
        ("# -*- coding: gbk -*-\n# 注意力\n" + RIGHT.encode().decode()).encode("gbk", "replace"),
        ("#!/usr/bin/env python\n# coding: latin-1\n# \xe9\n" + RIGHT).encode("latin-1", "replace"),
        ("\f\n" + RIGHT).encode(),
    ],
    ids=["bom", "crlf", "cr", "no-last-newline", "gbk", "latin-1", "form-feed"],
)
def test_other_encodings(judged: Judge, raw: bytes) -> None:
    """What Python reads is read: marks, line ends, and an encoding that the file declares."""
    assert judged("v1", raw).verdict == "pass"


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        (bytes(range(256)) * 64, "syntax", "not UTF-8"),
        (RIGHT.encode("utf-16"), "load", "UTF-16"),
        (b"# -*- coding: nope -*-\n", "syntax", "`nope`"),
        (b"# -*- coding: ascii -*-\n# \xe9\n", "syntax", "not ascii (line 2)"),
        (b"# -*- coding: rot13 -*-\nk\n", "syntax", "rot13"),
        (b"# " + b"x" * (30 << 20), "load", "larger than 4 MB"),
        (b" \n\t\n", "load", "empty"),
    ],
    ids=["binary", "utf-16", "unknown", "wrong", "no-text", "30-mb", "blank"],
)
def test_what_cannot_be_read(judged: Judge, raw: bytes, kind: str, words: str) -> None:
    """What cannot be read as Python is told by kind and words."""
    assert words in message(judged("v1", raw), kind)


def test_links(bench: Bench, tmp_path: Path) -> None:
    """A link to a file is the file; one in a circle, or to nothing, is told as such."""
    (tmp_path / "mine.py").write_text(RIGHT, "utf-8")
    for name, target in (("good", "mine.py"), ("one", "two"), ("two", "one"), ("lost", "gone")):
        (tmp_path / name).symlink_to(target)
    files = [tmp_path / name for name in ("good", "one", "lost")]
    good, circle, lost = (worded(one, "en") for one in bench.judge("v1", files, Options()))
    assert good.verdict == "pass"
    assert "symbolic links" in message(circle, "load")
    assert "No such file" in message(lost, "load")


def test_a_large_notebook_of_little_code(judged: Judge) -> None:
    """Pictures in a notebook do not count; its code does."""
    picture = {"output_type": "display_data", "data": {"image/png": "x" * (5 << 20)}}
    cell = {"cell_type": "code", "source": RIGHT, "outputs": [picture]}
    assert judged("v1", json.dumps({"cells": [cell]}), "mine.ipynb").verdict == "pass"
    cell["source"] = "# " + "x" * (5 << 20)
    report = judged("v1", json.dumps({"cells": [cell]}), "mine.ipynb")
    assert "larger than 4 MB" in message(report, "load")


def test_a_device_never_ends(bench: Bench) -> None:
    """What has no end is read no further than a file may be long."""
    report = worded(next(bench.judge("v1", [Path("/dev/zero")], Options())), "en")
    assert "larger than 4 MB" in message(report, "load")
