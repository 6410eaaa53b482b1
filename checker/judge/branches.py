"""Sizes that a submission answers apart, and wrongly: told from calls of their kind beside them."""

from __future__ import annotations

import ast
from typing import Any

from ..diagnose.shortcuts import shortcut
from .examine import Examination
from .trials import Trial

__all__ = ["wrong_shortcut"]

_MOST = 16


def wrong_shortcut(one: Examination, tree: ast.AST) -> ast.If | None:
    """The branch that returns early for all calls that go wrong, and for no other of their kind.

    What most calls come to is no shortcut.
    """
    if one.function.models or one.function.state is not None:
        return None
    plain = [trial for trial in one.tried if not (trial.case.grad or trial.case.large)]
    plain = [trial for trial in plain if trial.case.gain == 1]
    wrong = [trial for trial in plain if trial.wrong]
    kinds = [*map(_kind, wrong)]
    right = [trial for trial in plain if _kind(trial) in kinds and not trial.wrong]
    if not len(right) > len(wrong) > 0 or any(kind not in map(_kind, right) for kind in kinds):
        return None
    # Not the first alone: those that follow each other are of one size.
    some = [*wrong[:: len(wrong) // _MOST + 1], *right[:: len(right) // _MOST + 1]]
    ran = {id(trial): _ran(trial) for trial in one.recorded(some)}
    return shortcut(
        tree,
        [ran[id(trial)] for trial in wrong if id(trial) in ran],
        [ran[id(trial)] for trial in right if id(trial) in ran],
    )


def _kind(trial: Trial) -> tuple[Any, ...]:
    """What a call may be told by to begin with: a mask, and each choice."""
    return trial.case.mask is None, trial.case.train, *map(str, trial.case.chosen.values())


def _ran(trial: Trial) -> set[int]:
    fault = trial.answer.fault
    raised = [fault.line] if fault is not None and fault.line is not None else []
    return {*raised, *(line for step in trial.answer.steps for line in step.lines)}
