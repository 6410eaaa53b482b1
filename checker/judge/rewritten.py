"""Whether a call changes the state that it is handed, which others may continue."""

from __future__ import annotations

from ...kata.slips import slips
from .examine import Examination
from .page import Page

__all__ = ["rewrites"]

# What is told of it, and the calls in which two continue one state.
_REWRITTEN, _FORK = "cache-changed-in-place", "cached-fork"


def rewrites(page: Page, one: Examination) -> bool:
    """Say so where nothing else goes wrong than what continues one state in two ways."""
    wrong = [each.trial.case for many in one.found.findings.values() for each in many]
    alone = bool(wrong) and all(case.schedule == _FORK for case in wrong)
    known = {slip.id for slip in slips(one.kata.folder)}
    if not (alone and one.found.rewritten and _REWRITTEN in known):
        return False
    line = page.places.handed_on_changed() or one.entry.line
    page.blame(_REWRITTEN, line, "slip", kata=one.kata.id, id=_REWRITTEN)
    return True
