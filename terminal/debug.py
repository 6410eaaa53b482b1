"""Exercises with planted bugs on the screen: handed out, claimed, judged, answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..checker import Mending, Report
from ..practice.debug.claims import Hint
from ..practice.debug.exercise import Exercise
from ..practice.debug.handing import Proved
from ..practice.debug.record import Held, due_bugs, held
from ..practice.debug.rounds import Counted
from ..practice.debug.symptoms import Symptom, symptoms
from ..practice.history import Attempt, Event
from ..practice.stubs import Started
from .lists import next_lines
from .onward import claiming
from .screen import Screen
from .text import Line, quoted, safe, wrap
from .words import in_words, knows, say

__all__ = [
    "answer_lines", "answer_text", "claim_lines", "debug_hint_lines",
    "handed_out_lines", "hint_text", "mending_lines", "practice_lines", "symptom_text",
    "which_lines",
]  # fmt: skip


def handed_out_lines(
    proved: Proved, started: Started, screen: Screen, *, again: bool
) -> list[Line]:
    """Say where the file is, what is seen of it, and what to do."""
    order, language = proved.exercise.order, screen.language
    file = str(started.file)
    head = screen.say(
        "debug-handed-out", file=safe(file), kata=order.kata.id, count=order.count, seed=order.seed
    )
    lines: list[Line] = [[(row, "bold")] for row in wrap(head, screen.width)]
    if started.backup is not None:
        told = screen.say("started-backup", file=safe(str(started.backup)))
        lines += _wrapped(told, screen)
    lines.append([])
    for symptom in symptoms(proved.report):
        lines += [[("▌ ", "dim"), (row, "")] for row in wrap(
            symptom_text(symptom, language), screen.width - 2)]  # fmt: skip
    if again:
        lines += [[], *_wrapped(screen.say("debug-again"), screen)]
    named = quoted(file)
    commands = (f"attn-kata show {order.kata.id}", claiming(language), f"attn-kata check {named}",
                "attn-kata debug --hint", f"attn-kata debug --answer {named}")  # fmt: skip
    return [*lines, [], *next_lines(commands, language)]


def symptom_text(symptom: Symptom, language: str) -> str:
    """Return a symptom's sentence."""
    key = symptom.key if knows(symptom.key) else "symptom-wrong"
    return say(key, language, **symptom.values)


def claim_lines(counted: Counted, file: Path, screen: Screen) -> list[Line]:
    """Say whether a claim is right, and how many were."""
    claim = counted.claim
    values = {"line": claim.line, "mistake": claim.mistake}
    style = "pass" if claim.verdict in {"right", "again"} else "fail"
    key = f"claim-{claim.verdict}" + (
        "-named" if claim.mistake and claim.verdict == "right" else ""
    )
    lines: list[Line] = [[(row, style)] for row in wrap(screen.say(key, **values), screen.width)]
    if claim.words and claim.verdict == "right":
        lines += _wrapped(screen.say("claim-words"), screen)
    count = {"right": counted.right, "bugs": counted.bugs, "wrong": counted.wrong}
    lines += _wrapped(
        screen.say("claim-count" if counted.wrong else "claim-clean", **count), screen
    )
    check = f"attn-kata check {quoted(str(file))}"
    onward = (claiming(screen.language), check) if counted.right < counted.bugs else (check,)
    return [*lines, [], *next_lines(onward, screen.language)]


def debug_hint_lines(hint: Hint, file: Path, screen: Screen) -> list[Line]:
    """Give a hint on a bug."""
    if hint.over:
        answer = f"attn-kata debug --answer {quoted(str(file))}"
        told = _wrapped(hint_text(hint, screen.language), screen)
        return [*told, [], *next_lines((answer,), screen.language)]
    text = hint_text(hint, screen.language)
    more = ("attn-kata debug --hint",) if hint.step != "line" else ()
    commands = (*more, f"attn-kata check {quoted(str(file))}")
    return [*_wrapped(text, screen), [], *next_lines(commands, screen.language)]


def hint_text(hint: Hint, language: str) -> str:
    """Return a hint's sentence."""
    if hint.over:
        return say("debug-hints-over", language)
    about = hint.about
    if hint.step == "area" and knows(f"pages-{about}"):
        about = say(f"pages-{about}", language)
    outside = hint.step == "step" and not about
    key = f"debug-hint-{'outside' if outside else hint.step}"
    return say(key, language, number=hint.number, about=about, line=hint.line)


def mending_lines(mending: Mending, language: str, width: int) -> list[Line]:
    """Say how many bugs are mended, what is newly broken, and what was right and was changed."""
    style = "pass" if mending.mended == mending.bugs else "bold"
    head = say("debug-mended", language, mended=mending.mended, count=mending.bugs)
    lines: list[Line] = [[(f"  {row}", style)] for row in wrap(head, width - 2)]
    for one in mending.broken:
        key = "debug-broken" if one.mistake and one.line else "debug-broken-unnamed"
        key = "debug-broken-somewhere" if one.line is None else key
        text = say(key, language, line=one.line, mistake=one.mistake)
        lines += [[(f"  {row}", "fail")] for row in wrap(f"× {text}", width - 2)]
        if one.message:
            told = in_words(one.message, language)
            lines += [[(f"    {row}", "")] for row in wrap(told, width - 4)]
    if mending.mended == mending.bugs and not mending.broken:
        lines += [[(f"  {row}", "")] for row in wrap(say("debug-solved", language), width - 2)]
    harmless = [
        line for line in mending.changed if line not in {one.line for one in mending.broken}
    ]
    if harmless:
        places = ", ".join(map(str, harmless))
        text = say("debug-changed", language, lines=places, count=len(harmless))
        lines += [[(f"  {row}", "")] for row in wrap(text, width - 2)]
    return lines


def which_lines(report: Report, screen: Screen) -> list[Line]:
    """Say which lines are mended; of the others no word."""
    mending = report.debug
    assert mending is not None
    lines = mending_lines(mending, screen.language, screen.width)
    if mending.lines:
        places = ", ".join(map(str, sorted(mending.lines)))
        lines += _wrapped("  " + screen.say("debug-which", lines=places), screen)
    return lines


def answer_lines(exercise: Exercise, done: Held, file: Path, screen: Screen) -> list[Line]:
    """Show every bug with its line, as it stood and as it should, and what was said of it."""
    count = len(exercise.planted)
    found = count - len(done.missed)
    head = screen.say("debug-answer", file=safe(str(file)), count=count, found=found)
    lines: list[Line] = [[(row, "bold")] for row in wrap(head, screen.width)]
    score = screen.say("debug-score", wrong=done.wrong, hints=len(done.hinted))
    lines += _wrapped(score, screen)
    for one in exercise.planted:
        lines += [[], [(f"  {screen.say('line', line=one.line)}  ", ""), (one.mistake, "bold")]]
        if done.words.get(one.line):
            words = screen.say("debug-you-said", words=safe(done.words[one.line]))
            lines += [[(f"  {row}", "")] for row in wrap(words, screen.width - 2)]
        lines.append([(f"  - {safe(one.wrong.strip())}", "wrong")])
        lines.append([(f"  + {safe(one.right.strip())}", "right")])
    commands = tuple(dict.fromkeys(f"attn-kata explain {one.mistake}" for one in exercise.planted))
    return [*lines, [], *next_lines((*commands, "attn-kata debug"), screen.language)]


def answer_text(exercise: Exercise) -> str:
    """Return the answer as one line of JSON."""
    rows = [
        {"mistake": one.mistake, "line": one.line, "wrong": one.wrong, "right": one.right}
        for one in exercise.planted
    ]
    order = exercise.order
    return json.dumps({"kata": order.kata.id, "seed": order.seed, "bugs": rows})


def practice_lines(story: Sequence[Attempt | Event], screen: Screen) -> list[Line]:
    """Say how many exercises there were, and where to look for bugs today."""
    told = held(story)
    if not told:
        return []
    counts = {
        "count": len(told),
        "solved": sum(one.solved for one in told),
        "clean": sum(one.clean for one in told),
    }
    lines = [[], *_wrapped(screen.say("debug-tally", **counts), screen)]
    found = due_bugs(story)
    if not found:
        return lines
    names = ", ".join(
        screen.say(
            f"debug-due-{'plain' if not one.missed and one.why != 'unfinished' else one.why}",
            kata=one.kata, names=" ".join(one.missed),
        )
        for one in found
    )  # fmt: skip
    lines += [*_wrapped(screen.say("debug-due", names=names), screen), []]
    return [*lines, *next_lines((f"attn-kata debug {found[0].kata}",), screen.language)]


def _wrapped(text: str, screen: Screen) -> list[Line]:
    return [[(row, "")] for row in wrap(text, screen.width)]
