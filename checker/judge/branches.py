"""Calls that a submission answers apart, and wrongly: told from calls of their kind beside them."""

from __future__ import annotations

import ast
from typing import Any

from ..diagnose.parting import Branch, parting
from ..process.requests import Record
from .examine import Examination
from .trials import Trial, until_ended

__all__ = ["wrong_branch"]

_MOST = 16


def wrong_branch(one: Examination, tree: ast.AST, stray: float = 0) -> Branch | None:
    """The branch that parts all calls that go wrong from all others of their kind.

    What most calls come to is nothing apart. stray: as `parting` has it.
    """
    if one.function.models or one.function.state is not None:
        return None
    plain = [trial for trial in one.tried if trial.case.gain == 1 and not trial.missing]
    plain = [trial for trial in plain if not trial.case.grad]
    wrong = [trial for trial in plain if trial.wrong]
    kinds = [*map(_kind, wrong)]
    right = [trial for trial in plain if _kind(trial) in kinds and not trial.wrong]
    if not len(right) > len(wrong) > 0 or any(kind not in map(_kind, right) for kind in kinds):
        return None
    # Not the first alone: those that follow each other are of one size.
    ran = {
        went: _passed(one, some[:: len(some) // _MOST + 1], wrong=went)
        for went, some in ((True, wrong), (False, right))
    }
    return parting(tree, ran[True], ran[False], stray) if all(ran.values()) else None


def _kind(trial: Trial) -> tuple[Any, ...]:
    """What a call may be told by to begin with: a mask, and each choice."""
    return trial.case.mask is None, trial.case.train, *map(str, trial.case.chosen.values())


def _passed(one: Examination, trials: list[Trial], *, wrong: bool) -> list[set[int]]:
    """The lines that run in each call, of those that go again as they went."""
    for trial in trials:
        one.write(trial, Record(steps=False, lines=True))
    made = until_ended(trials, one.run(trials))
    return [{*answer.lines} for trial, answer in made if (trial.judge(answer) is not None) is wrong]
