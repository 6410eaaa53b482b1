"""The screens of an exercise with planted bugs. REGENERATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from attn_kata.checker.report.report import Check, Diagnosis, Difference, Fault, Mending, Report
from attn_kata.kata.catalogue import find
from attn_kata.practice.debug.claims import Claim, Hint
from attn_kata.practice.debug.exercise import Exercise, Order, Planted
from attn_kata.practice.debug.handing import Proved
from attn_kata.practice.debug.record import held
from attn_kata.practice.debug.rounds import Counted
from attn_kata.practice.debug.veil import veiled
from attn_kata.practice.history import Event
from attn_kata.practice.stubs import Started
from attn_kata.terminal import debug
from attn_kata.terminal.look import Look
from attn_kata.terminal.report import quiet_line, report_lines
from attn_kata.terminal.screen import Screen
from attn_kata.terminal.text import cells, written

GOLDEN = Path(__file__).parent / "golden"
FILE = Path("debug_mha.py")
EXERCISE = Exercise(
    order=Order(kata=find("mha"), seed=31, count=2, level="mid"),
    lines=("# attn-kata: …", "scores = q @ k.mT", "weights = scores.softmax(-2)"),
    planted=(
        Planted(mistake="scale-missing", level="mid", line=2, wrong="scores = q @ k.mT",
                right="scores = q @ k.mT / math.sqrt(d)"),
        Planted(mistake="softmax-wrong-axis", level="mid", line=3,
                wrong="weights = scores.softmax(-2)", right="weights = scores.softmax(-1)"),
    ),
)  # fmt: skip


def report():
    """What the judge says of it."""
    return Report(
        kata="mha", file=str(FILE), verdict="fail", object="Attention", elapsed_ms=400,
        checks=[Check(id="values", status="fail", detail="12 of 17 cases"),
                Check(id="shape", status="pass")],
        diagnosis=[Diagnosis(mistake="softmax-wrong-axis", message="…", line=3)],
        difference=Difference(case="batch 1, length 2"),
        debug=Mending(bugs=2, mended=1, lines=[2], changed=[9, 12], broken=[
            Diagnosis(mistake="norm-added", message="a norm", line=9)]),
    )  # fmt: skip


def screens(screen):
    """Every screen of an exercise, by name."""
    look = Look(language=screen.language)
    proved = Proved(exercise=EXERCISE, report=report())
    hints = [
        Hint(step="area", number=1, about="scale"),
        Hint(step="step", number=1, about="Attention.forward"),
        Hint(step="step", number=2),
        Hint(step="line", number=1, line=2),
        Hint(step="over", number=0, over=True),
    ]
    claims = [
        Counted(
            claim=Claim(line=line, mistake=name, verdict=verdict, first=line, words=words),
            right=right,
            wrong=max(0, 1 - right),
            bugs=2,
        )
        for line, name, verdict, right, words in (
            (2, "", "right", 1, ""),
            (2, "scale-missing", "right", 1, ""),
            (2, "", "right", 2, "not divided by the root of the width"),
            (2, "norm-added", "other-name", 0, ""),
            (5, "", "wrong", 0, ""),
            (2, "", "again", 1, ""),
        )
    ]
    story = [
        Event(kata="mha", kind="debug", detail='{"key": "aaaaaa", "file": "/x.py"}', time=0.0),
        Event(kata="mha", kind="debug-said", time=0.5, detail=json.dumps(
            {"key": "aaaaaa", "line": 3, "right": True, "words": "softmax over the queries"})),
        Event(kata="mha", kind="debug-said", time=0.6,
              detail='{"key": "aaaaaa", "line": 2, "right": false}'),
        Event(kata="mha", kind="debug-answer", time=1.0,
              detail='{"key": "aaaaaa", "missed": ["scale-missing"]}'),
    ]  # fmt: skip
    started = Started(FILE, Path("debug_mha.py.bak1"))
    yield "handed out", debug.handed_out_lines(proved, started, screen, again=True)
    for number, claim in enumerate(claims):
        yield f"claim {number}", debug.claim_lines(claim, FILE, screen)
    for hint in hints:
        yield f"hint {hint.step}", debug.debug_hint_lines(hint, FILE, screen)
    yield "check", report_lines(veiled(report()), look)
    fault = Fault(kind="syntax", line=9, message="line 9 is no Python")
    unread = replace(report(), verdict="error", error=fault, checks=[], debug=Mending(bugs=2))
    yield "unread", report_lines(veiled(unread), look)
    yield "which", debug.which_lines(report(), screen)
    yield "answer", debug.answer_lines(EXERCISE, held(story)[0], FILE, screen)
    yield "practice", debug.practice_lines(story, screen)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_screens(language) -> None:
    """The screens of a whole exercise are as they are stored, and fit into 80 columns."""
    parts: list[str] = []
    for name, lines in screens(Screen(language)):
        assert all(cells(written(line)) <= 80 for line in lines), name
        parts += [f"-- {name}", *(written(line).rstrip() for line in lines), ""]
    text = "\n".join(parts)
    file = GOLDEN / f"debug.{language}.80.txt"
    if os.environ.get("REGENERATE_GOLDEN"):
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


def test_nothing_is_given_away() -> None:
    """What `check` draws of an exercise says neither the name nor the line of what is left."""
    look = Look(language="en")
    shown = veiled(report())
    text = "\n".join(map(written, [*report_lines(shown, look), quiet_line(shown, "en")]))
    assert "softmax-wrong-axis" not in text
    assert "line 3" not in text


def test_answer_in_json() -> None:
    """The answer is one line of JSON, with the lines as they stand and as they should."""
    told = json.loads(debug.answer_text(EXERCISE))
    assert set(told) == {"kata", "seed", "bugs"}
    assert told["bugs"][1] == {
        "mistake": "softmax-wrong-axis", "line": 3,
        "wrong": "weights = scores.softmax(-2)", "right": "weights = scores.softmax(-1)",
    }  # fmt: skip
