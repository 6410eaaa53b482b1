"""Calls that a submission answers apart, and wrongly: told from calls of their kind beside them."""

from __future__ import annotations

import ast
from typing import Any

from ..diagnose.expressions import span
from ..diagnose.parting import Branch, parting
from ..process.requests import Record
from .examine import Examination
from .source import Source
from .trials import Trial, until_ended

__all__ = ["dropped_alone", "returned", "wrong_branch"]

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


def dropped_alone(one: Examination, source: Source) -> list[int | None]:
    """Where calls without a mask leave, of a class that drops something in those with one.

    Else where these drop; none where they drop nothing.
    """
    masked = [each for each in one.seen if each.case.mask is not None and each.answer.dropouts]
    plain = [each for each in one.seen if each.case.mask is None and each.answer.fault is None]
    lines = [drop.line for trial in masked for drop in trial.answer.dropouts]
    if not (plain and masked):
        return lines
    left, kept = (returned(one, many[0], source) for many in (plain, masked))
    return [left] if left not in {None, kept} else lines


def returned(one: Examination, trial: Trial, source: Source) -> int | None:
    """The last return that a call comes to, of a function that has several."""
    one.write(trial, Record(steps=False, lines=True))
    ran = {line for answer in one.run([trial]) for line in answer.lines}
    own = source.classes.get(one.entry.name, source.tree)
    for function in (node for node in ast.walk(own) if isinstance(node, ast.FunctionDef)):
        if one.entry.line in span(function) or function.name == "forward":
            returns = {node.lineno for node in ast.walk(function) if isinstance(node, ast.Return)}
            if len(returns) > 1 and returns & ran:
                return max(returns & ran)
    return None
