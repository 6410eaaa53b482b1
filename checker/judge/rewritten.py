"""What calls after one another leave: in the state that they are handed, or on the object."""

from __future__ import annotations

from ...kata.slips import slips
from ..diagnose.giveaways import state_line
from .examine import Examination
from .page import Page

__all__ = ["mixes_turns", "rewrites"]

# What is told of a state that is changed, and the calls in which two continue one.
_REWRITTEN, _FORK = "cache-changed-in-place", "cached-fork"
# The calls in which two sequences take turns on one object.
_TURNS = "cached-turns"


def rewrites(page: Page, one: Examination) -> bool:
    """Say so where nothing else goes wrong than what continues one state in two ways."""
    known = {slip.id for slip in slips(one.kata.folder)}
    if not (one.found.rewritten and _REWRITTEN in known and _alone(one, _FORK)):
        return False
    line = page.places.handed_on_changed() or one.entry.line
    page.blame(_REWRITTEN, line, "slip", kata=one.kata.id, id=_REWRITTEN)
    return True


def mixes_turns(page: Page, one: Examination) -> bool:
    """Say that a sequence finds what another left, where nothing but turns goes wrong."""
    line = state_line(page.source, one.entry.name) if _alone(one, _TURNS) else None
    if line is not None:
        page.blame("nondeterministic", line, "mixed-in-turns")
    return line is not None


def _alone(one: Examination, schedule: str) -> bool:
    """Whether calls of one kind go wrong, and no others."""
    wrong = [each.trial.case for many in one.found.findings.values() for each in many]
    return bool(wrong) and all(case.schedule == schedule for case in wrong)
