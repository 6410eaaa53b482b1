"""What `attn-kata dev exercises` does: prove pairs, count them, and try whole exercises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from ...checker import Bench
from ...kata.catalogue import Kata, find, katas
from ...practice.debug.bugs import Bug, bugs, host, hosts
from ...practice.debug.exercise import Exercise, Order, most
from ...practice.debug.forms import FORMS, rewritten
from ...practice.debug.handing import Unproved, by_bench, proved
from ...practice.errors import Refusal
from ...terminal.debug import answer_text
from .proof import judged, named
from .proof import proved as prove
from .proof import write as write_down

__all__ = ["Counted", "Tried", "all_katas", "counted", "formed", "trials", "written"]

# Of all tried exercises, so many have one bug, the others two or three.
_ALONE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What there is of a kata: right files, mistakes, and proved pairs of a file and a line."""

    kata: Kata
    hosts: int
    mistakes: int
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One exercise as it was handed out, mended, and mended but for one. fault: what went wrong."""

    said: str
    fault: str = ""


def counted(some: Sequence[Kata]) -> list[Counted]:
    """Count what is proved, by kata."""
    return [
        Counted(
            kata=kata,
            hosts=len({bug.host for bug in bugs(kata)}),
            mistakes=len({bug.mistake for bug in bugs(kata)}),
            pairs=len(bugs(kata)),
        )
        for kata in some
    ]


def formed(some: Sequence[Kata], wanted: int) -> Iterator[int]:
    """Yield how many more exercises with one bug there are in other forms, as they are found.

    Each is another file than all before it. Ends where so many are found as are wanted.
    """
    found: set[tuple[str, ...]] = set()
    for form in range(1, FORMS + 1):
        for kata in some:
            for bug in bugs(kata):
                if len(found) >= wanted:
                    return
                exercise = _planted_alone(kata, bug, form)
                if exercise is not None and exercise not in found:
                    found.add(exercise)
                    yield len(found)


def written(
    some: Sequence[Kata], limit: int | None
) -> Iterator[tuple[Kata, int, int, tuple[str, ...]]]:
    """Prove katas' pairs and write them down; yield pairs proved, tried, and files turned down."""
    with Bench(1) as bench:
        for kata in some:
            proof = prove(kata, bench, limit)
            write_down(proof)
            yield kata, len(proof.bugs), proof.tried, proof.wrong_hosts


def trials(some: Sequence[Kata], count: int, seed: int) -> Iterator[Tried]:
    """Draw exercises at random and try each as a person has it: with its file and its answer."""
    draw = Random(seed)  # noqa: S311 - the same trials for the same seed
    with Bench(1) as bench:
        for number in range(count):
            kata = some[number % len(some)] if count >= len(some) else draw.choice(some)
            several = 1 if draw.random() < _ALONE else draw.choice((2, 3))
            order = Order(
                kata=kata, seed=draw.randrange(10_000), count=min(several, most(kata, ""))
            )
            try:
                exercise = proved(order, by_bench(bench, kata)).exercise
            except Unproved:
                yield Tried(said=order.said, fault="the judge found no draw whole")
                continue
            yield Tried(said=exercise.order.said, fault=_fault(exercise, bench))


def _fault(exercise: Exercise, bench: Bench) -> str:
    """What is wrong with an exercise, by its text and its answer in JSON alone."""
    answer = json.loads(answer_text(exercise))["bugs"]
    texts = [exercise.text, _mended(exercise.text, answer)]
    texts += [_mended(exercise.text, [one for one in answer if one is not left]) for left in answer]
    handed, right, *others = judged(exercise.order.kata, texts, bench)
    if handed.verdict == "pass":
        return "it passes as it is handed out"
    if right.verdict != "pass":
        return "its answer's lines do not make it pass"
    for left, report in zip(answer, others, strict=True):
        if named(report, left["line"]) != left["mistake"]:
            return f"{left['mistake']} on line {left['line']} alone is not named"
    return ""


def _mended(text: str, bugs_left: Sequence[dict[str, object]]) -> str:
    lines = text.splitlines()
    for one in bugs_left:
        lines[int(str(one["line"])) - 1] = str(one["right"])
    return "\n".join(lines) + "\n"


def _planted_alone(kata: Kata, bug: Bug, form: int) -> tuple[str, ...] | None:
    right = host(kata, bug.host).splitlines()
    wrong = list(right)
    wrong[bug.line - 1] = bug.wrong
    found = rewritten(right, wrong, [bug.line], form)
    return None if found is None else tuple(found[1])


def all_katas(names: Sequence[str], *, judging: bool) -> list[Kata]:
    """Return the katas named, or all that have right files to plant bugs in.

    judging: those whose packages are installed alone. Raise Refusal where one that is named has no
    right files, or cannot be judged.
    """
    named = [find(name) for name in names]
    for kata in named:
        if not hosts(kata):
            raise Refusal("debug-none", kata=kata.id)
        if judging and kata.lacking:
            raise Refusal("kata-lacking", name=kata.lacking)
    return named or [one for one in katas() if hosts(one) and not (judging and one.lacking)]
