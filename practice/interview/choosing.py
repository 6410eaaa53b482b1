"""Which question comes next: from one's own code, exact ones, free ones, and the open one once.

None speaks of what is not there: a question about code comes after that code has passed, and one
that needs something of it only where it has that. None follows another that has its answer in it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...kata.catalogue import Kata, find
from .bugs import why_questions
from .own import facts, own_questions
from .questions import open_question, tells, what_of
from .texts import table

if TYPE_CHECKING:
    from .session import Session, Submission

__all__ = ["next_question", "next_step"]

# After each step: from one's own code, and from the bank's exact ones.
_OWN, _EXACT = 2, 1


def next_question(session: Session) -> tuple[str, dict[str, Any] | None] | None:
    """Return the question to put before the interview goes on: its name, and its own text."""
    stage = session.stage
    if stage is not None and not stage.passed:
        return None
    put = {one.name for one in session.puts}
    here = sum(one.tier == session.tier for one in session.puts)
    rows = _after(session, session.tier) if stage is not None else _closing(session)
    wanted = rows[here:]
    return next((one for one in wanted if one[0] not in put), None)


def next_step(session: Session, left: float) -> Kata | None:
    """Return what a plan that was passed is extended to, once, where the time left is enough.

    left: in seconds, endless in practice, which goes no further than its plan.
    """
    planned, stages = len(session.plan.tiers), session.stages
    if session.practice or len(stages) > planned or not all(one.passed for one in stages):
        return None
    if stages[-1].tier.bugs:
        return None
    names: list[str] = table("steps.toml")["after"].get(stages[-1].tier.kata.id, [])
    held = {stage.tier.kata.id for stage in stages}
    fitting = [find(name) for name in names if name not in held]
    fitting = [kata for kata in fitting if kata.minutes * 60 <= left]
    chance = random.Random(f"further {session.seed}")  # noqa: S311 - a draw, not a secret
    return chance.choice(fitting) if fitting else None


def _after(session: Session, at: int) -> list[tuple[str, dict[str, Any] | None]]:
    """Return the questions after a step that passed."""
    tier = session.stages[at].tier
    passed = session.accepted(at)
    if passed is None:
        return []
    planted = session.stages[at].planted
    earlier = [one for one in session.puts if one.tier < at]
    put = [one.name for one in earlier]
    # The same of a later step's code is no other question.
    before = {what_of(one.name) for one in earlier if one.own is not None}
    if planted:
        own = dict(why_questions(planted, session.seed))
        put += own
    else:
        many = own_questions(tier.kata, passed.source, passed.report, session.seed)
        own = {name: one for name, one in many if what_of(name) not in before}
        own = {name: own[name] for name in _apart(own, _OWN, put)}
    rows: list[tuple[str, dict[str, Any] | None]] = [*own.items()]
    rows += [(name, None) for name in _apart(_exact(session, tier.kata), _EXACT, put)]
    free = _free(session, tier.kata, passed)
    rows += [(name, None) for name in _apart(free, tier.questions, put)]
    spoken = open_question(tier.kata)
    # Once: who has pointed things out unasked is not asked again for the same.
    if spoken and not planted and at == len(session.plan.tiers) - 1:
        rows.append((spoken, None))
    return rows


def _closing(session: Session) -> list[tuple[str, dict[str, Any] | None]]:
    """Return the questions at the end: about katas that were written, and no others."""
    rows: list[tuple[str, dict[str, Any] | None]] = []
    put = [one.name for one in session.puts if one.tier < session.tier]
    written = [at for at, stage in enumerate(session.stages) if stage.passed]
    for at in reversed(written):
        kata, passed = session.stages[at].tier.kata, session.accepted(at)
        if passed is None:
            continue
        rows += [(name, None) for name in _apart(_exact(session, kata), 1, put)]
        rows += [(name, None) for name in _apart(_free(session, kata, passed), 1, put)]
    return rows[: session.plan.closing]


def _apart(names: Iterable[str], count: int, put: list[str]) -> list[str]:
    """Return the first so many questions that were not put, with no answer given away; note them.

    put: those before. Neither has one of them told the answer, nor would the answer tell theirs.
    """
    found: list[str] = []
    for name in names:
        if len(found) == count:
            break
        if all(name != one and name not in tells(one) and one not in tells(name) for one in put):
            found.append(name)
            put.append(name)
    return found


def _exact(session: Session, kata: Kata) -> list[str]:
    found = [(one.level, f"{kata.id}:{one.id}") for one in kata.exact_questions("en")]
    return _drawn(session, kata, found)


def _free(session: Session, kata: Kata, passed: Submission) -> list[str]:
    has = facts(kata, passed.source, passed.report)
    found = [
        (one.level, f"{kata.id}:{one.id}")
        for one in kata.questions("en")
        if not one.before and one.like != "open" and set(one.needs) <= has
    ]
    return _drawn(session, kata, found)


def _drawn(session: Session, kata: Kata, found: list[tuple[str, str]]) -> list[str]:
    """Return names in a drawn order, those of the level first."""
    chance = random.Random(f"questions {kata.id} {session.seed}")  # noqa: S311 - no secret
    chance.shuffle(found)
    hard = session.level in {"senior", "staff"}
    found.sort(key=lambda pair: (pair[0] == "senior") != hard)
    return [name for _, name in found]
