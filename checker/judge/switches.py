"""Switches of a submission's call that are turned on, and that it can do without."""

from __future__ import annotations

from dataclasses import replace

from .case import Case
from .examine import Examination

__all__ = ["spare"]


def spare(one: Examination, case: Case) -> None:
    """Leave a switch of the cache off where the cache comes back without it.

    case: a plain call.
    """
    bound = one.bound
    if one.function.state is None or bound is None or not bound.switched:
        return
    one.bound = replace(bound, switched=())
    trial = one.trial(case)
    trial.given = replace(trial.given, kept="a")
    one.write(trial)
    if not one.run([trial])[0].carried:
        one.bound = bound
