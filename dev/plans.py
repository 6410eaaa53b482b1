"""Is every interview question within reach: does some plan ask it?"""

from __future__ import annotations

from collections.abc import Iterator

from ..kata.catalogue import Kata, katas
from ..practice.interview.plan import Plan, plan_called, plan_names
from ..practice.interview.texts import table
from .layout import problem

__all__ = ["out_of_reach", "plan_problems"]


def out_of_reach(kata: Kata, plans: tuple[Plan, ...] | None = None) -> list[str]:
    """Return the questions of a kata that no plan would ever ask, by their ids.

    What is asked before any code, and what is the open question in other words, the interview
    itself asks. A file with planted bugs is followed by questions about these alone. What a plan
    is extended to where time is left is a step too.
    """
    held = plans or tuple(plan_called(name) for name in plan_names())
    written = (tier for plan in held for tier in plan.tiers if not tier.bugs and tier.questions)
    if any(kata in tier.drawn_from for tier in written) or kata.id in _extensions(held):
        return []
    free = [one.id for one in kata.questions("en") if not one.before and one.like != "open"]
    return [*free, *(one.id for one in kata.exact_questions("en"))]


def _extensions(plans: tuple[Plan, ...]) -> set[str]:
    """The katas that some plan may be extended to, once its last step has passed."""
    after: dict[str, list[str]] = table("steps.toml")["after"]
    last = (plan.tiers[-1] for plan in plans)
    written = (kata.id for tier in last if not tier.bugs for kata in tier.drawn_from)
    return {name for kata in written for name in after.get(kata, ())}


def plan_problems() -> Iterator[str]:
    """Yield the katas whose questions are out of reach."""
    for kata in katas():
        missed = out_of_reach(kata)
        if missed:
            wrong = f"has {len(missed)} questions that no plan asks, `{missed[0]}` for one"
            yield problem(f"kata/{kata.id}/questions.toml", wrong,
                          "give the kata a step in practice/interview/plans/")  # fmt: skip
