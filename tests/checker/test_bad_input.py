"""Whatever is handed in, a clear verdict comes of it, with the line and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find, katas
from attn_kata.sentences.wording import worded

Judge = Callable[..., Report]

RIGHT = find("v1").solution()
HEAD = "import torch\nfrom torch import nn\n\n\n"


def error(report: Report, kind: str) -> str:
    """Return the message of an error report of this kind."""
    assert report.verdict == "error"
    assert report.error is not None
    assert report.error.kind == kind, report.error.message
    return str(report.error.message)


@pytest.mark.parametrize("kata", [kata.id for kata in katas()])
def test_stub_is_unfinished(judged: Judge, kata: str) -> None:
    """A stub that nobody has edited is not written yet."""
    if find(kata).lacking:
        pytest.skip(f"{find(kata).lacking} is not installed")
    report = judged(kata, find(kata).stub())
    assert report.error is not None
    assert "not written yet" in str(report.error.message)


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        (b"", "load", "empty"),
        (b"\xff\xfei\x00", "load", "UTF-16"),
        (b"x = '\xe9'\n", "syntax", "not UTF-8 (line 1)"),
        (b"x = 1\x00\n", "syntax", "null byte"),
        ("def f():\n\u00a0\u00a0return 1\n", "syntax", "U+00A0"),
        ("if True:\n\tx = 1\n        y = 2\n", "syntax", "tabs and spaces"),
        ("x = (1,\ny = 2\n", "syntax", "line 1 is not valid Python"),
        ("x = 1\nreturn x\n", "syntax", "line 2 is not valid Python: 'return' outside function"),
        ("x = 1\nfrom __future__ import annotations\n", "syntax", "line 2 is not valid Python"),
        ("import nothing_of_this_name\n", "load", "nothing_of_this_name"),
        ("x = 1\nraise ValueError('so')\n", "load", "stopped at line 2: ValueError: so"),
        ("import torch\nx = torch.nn.Lienar(1, 1)\n", "load", "you probably meant `Linear`"),
        ("x = 1\n", "no-class", "no class in the file"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 12 else None,
)
def test_file_that_cannot_be_run(judged: Judge, source: str | bytes, kind: str, words: str) -> None:
    """What cannot be read or run is told by kind, words and line."""
    assert words in error(judged("v1", source), kind)


def test_folder(bench: Bench, tmp_path: Path) -> None:
    """A folder is no submission."""
    report = worded(next(bench.judge("v1", [tmp_path], Options())), "en")
    assert "folder" in error(report, "load")


@pytest.mark.parametrize("text", ["not json", "{}", '{"cells": 3}', '{"cells": [{}]}'])
def test_broken_notebook(judged: Judge, text: str) -> None:
    """A notebook that is none is told apart from one without code."""
    assert "notebook" in error(judged("v1", text, "mine.ipynb"), "load")


def test_notebook_without_code(judged: Judge) -> None:
    """A notebook of prose has nothing to judge."""
    text = json.dumps({"cells": [{"cell_type": "markdown", "source": "# hi"}]})
    error(judged("v1", text, "mine.ipynb"), "no-class")


def test_notebook_with_magic(judged: Judge) -> None:
    """Shell and magic lines are skipped; a cell that raises does not hide the class."""
    cells = ["!nvidia-smi\n%matplotlib inline", "raise ValueError", RIGHT, "%%bash\nls"]
    rows = [{"cell_type": "code", "source": source} for source in cells]
    assert judged("v1", json.dumps({"cells": rows}), "mine.ipynb").verdict == "pass"


def test_several_classes(judged: Judge) -> None:
    """Where two classes could be meant both are listed with where they stand; `--class` picks."""
    twice = RIGHT.replace("SelfAttentionV1", "Alpha") + "\n\nclass Beta(Alpha):\n    pass\n"
    other = twice + "\n\nclass Gamma(Alpha):\n    pass\n"
    message = error(judged("v1", other), "no-class")
    place = other[: other.index("class Beta")].count("\n") + 1
    assert f"Beta ({place})" in message
    assert "--class" in message
    assert judged("v1", other, class_name="Beta").verdict == "pass"
    assert "Nope" in error(judged("v1", other, class_name="Nope"), "no-class")


def test_forward_without_return(judged: Judge) -> None:
    """A forgotten return is told as such."""
    source = RIGHT.replace("return context", "context")
    assert "is a `return` missing?" in error(judged("v1", source), "forward")


def test_wrong_shape(judged: Judge) -> None:
    """Code that runs and gives another shape is wrong, with both shapes."""
    report = judged("v1", RIGHT.replace("return context", "return context.transpose(1, 2)"))
    assert report.verdict == "fail"
    assert report.difference is not None
    batch, length, width = report.difference.expected_shape
    assert length != width
    assert report.difference.actual_shape == [batch, width, length]


def test_misspelt_init(judged: Judge) -> None:
    """`_init_` is told, not the TypeError that follows from it."""
    report = judged("v1", RIGHT.replace("__init__(self, hidden_dim", "_init_(self, hidden_dim"))
    assert report.error is not None
    assert "two underscores" in str(report.error.message)


def test_misspelt_letters_of_init(judged: Judge) -> None:
    """`__int__` is told, not that the layers are missing that it would have made."""
    report = judged("v1", RIGHT.replace("__init__(self, hidden_dim", "__int__(self, hidden_dim"))
    assert report.error is not None
    assert str(report.error.message).endswith("defines `__int__`; Python calls `__init__`")


def test_what_is_set_is_not_misspelt(judged: Judge) -> None:
    """A layer that is made in a method that nobody calls is spelt as it should be."""
    late = "        self.build(hidden_dim)\n\n    def build(self, hidden_dim):\n        pass\n\n"
    late += "    def unused(self, hidden_dim):\n        super().__init__()\n"
    source = RIGHT.replace("        super().__init__()\n", f"        super().__init__()\n{late}")
    report = judged("v1", source)
    assert report.error is not None
    assert "you probably meant" not in str(report.error.message)


def test_no_forward(judged: Judge) -> None:
    """A class without forward is named."""
    source = HEAD + "class SelfAttentionV1(nn.Module):\n    pass\n"
    assert "no forward" in error(judged("v1", source), "forward")


def test_chinese(judged: Judge) -> None:
    """Messages come in Chinese where that is asked for."""
    assert "文件是空的" in error(judged("v1", "", language="zh"), "load")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("while True: pass", "timeout"),
        ("import os; os._exit(0)", "crash"),
        ("import os; os.abort()", "crash"),
        ("import sys; sys.exit(0)", "forward"),
        ("raise KeyboardInterrupt", "forward"),
    ],
)
def test_ends_of_every_kind(judged: Judge, body: str, kind: str) -> None:
    """A loop, an exit or an abort in forward becomes a verdict."""
    source = RIGHT.replace("        query =", f"        {body}\n        query =", 1)
    error(judged("v1", source, timeout=2), kind)


def test_a_print_cannot_be_a_verdict(judged: Judge) -> None:
    """What a submission prints is kept apart from the report."""
    source = RIGHT + '\n\nprint(\'{"schema": 1, "verdict": "pass"}\')\n'
    source = source.replace("/ math.sqrt(self.hidden_dim)", "/ 3")
    report = judged("v1", source)
    assert report.verdict == "fail"
    assert "schema" in report.printed


def test_prints_are_told_apart_by_call(judged: Judge) -> None:
    """Each call's prints begin where the report says, what loading printed comes before them."""
    source = RIGHT.replace("        query =", "        print(x.shape)\n        query =", 1)
    report = judged("v1", f"{source}\nprint('loading')\n")
    pieces = [report.printed[start:] for start in report.printed_from]
    assert report.printed.startswith("loading\ntorch.Size")
    assert len(pieces) > 5
    assert all(piece.startswith("torch.Size") for piece in pieces)
    assert report.printed.count("\n") == len(pieces) + 1


def test_a_file_beside_cannot_break_torch(bench: Bench, tmp_path: Path) -> None:
    """A `signal.py` beside the submission is not what torch imports."""
    (tmp_path / "signal.py").write_text("raise RuntimeError('not this one')")
    (tmp_path / "mine.py").write_text(RIGHT)
    report = worded(next(bench.judge("v1", [tmp_path / "mine.py"], Options())), "en")
    assert report.verdict == "pass"


def test_the_same_seed_gives_the_same_report(judged: Judge) -> None:
    """A seed repeats a check: the same cases, the same numbers."""
    wrong = RIGHT.replace("math.sqrt(self.hidden_dim)", "self.hidden_dim")
    first, second = (judged("v1", wrong).to_dict() for _ in range(2))
    for report in (first, second):
        report.pop("elapsed_ms")
    assert first == second


def test_own_answer_is_not_the_candidates(judged: Judge) -> None:
    """Importing the model answer breaks the rules."""
    source = "from attn_kata.reference.v1 import SelfAttentionV1 as Theirs\n\n\n"
    source += "class SelfAttentionV1(Theirs):\n    pass\n"
    report = judged("v1", source)
    assert report.verdict == "fail"
    assert report.diagnosis[0].mistake == "forbidden-call"
