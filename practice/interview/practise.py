"""What to practise after an interview: the failed step first, its mistakes, questions to learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...kata.catalogue import LANGUAGES
from .questions import drilled, kata_of
from .session import Put, Session
from .standing import clarity

__all__ = ["Learn", "following", "to_learn"]

# How much to practise is told at once.
_ROWS, _QUESTIONS = 5, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Learn:
    """A question to learn: what was asked, the points that were missed, a good answer."""

    name: str
    ask: Mapping[str, str]
    points: Mapping[str, tuple[str, ...]]
    model: Mapping[str, str]


def following(session: Session) -> list[tuple[str, str]]:
    """Return what to practise next, as (why, command), the first step that failed before all."""
    failed = [stage for stage in session.planned if not stage.passed]
    again = failed[0] if failed else session.planned[-1]
    command = "debug" if again.tier.bugs else "watch"
    rows = [("tier" if failed else "once-more", f"{command} {again.tier.kata.id}")]
    named = [
        one["mistake"]
        for each in session.submissions
        if not each.accepted
        for one in each.report.get("diagnosis", ())
    ]
    rows += [("mistake", f"explain {name}") for name in dict.fromkeys(named)][: _ROWS - 2]
    missed = next((put for put in session.puts if _missed(put) and drilled(put.name)), None)
    if missed is not None:
        rows.append(("questions", f"questions {kata_of(missed.name)}"))
    if any(one.how in {"wrong", "open"} for one in clarity(session)):
        rows.append(("clarity", f"interview --plan {session.plan.id} --practice"))
    return rows[:_ROWS]


def to_learn(session: Session) -> list[Learn]:
    """Return the questions of which most was missed, those with the least first."""
    missed = [put for put in session.puts if _missed(put)]
    missed.sort(key=lambda put: sum(put.made or ()) / max(1, len(put.made or ())))
    return [_learn(put) for put in missed[:_QUESTIONS]]


def _missed(put: Put) -> bool:
    return put.answered and not all(put.made or (False,))


def _learn(put: Put) -> Learn:
    asked = {language: put.asked(language) for language in LANGUAGES}
    made = put.made or ()
    return Learn(
        name=put.name,
        ask={language: one.ask for language, one in asked.items()},
        points={
            language: tuple(
                point for at, point in enumerate(one.points) if at >= len(made) or not made[at]
            )
            for language, one in asked.items()
        },
        model={language: one.model for language, one in asked.items()},
    )
