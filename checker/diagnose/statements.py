"""Which statement of a program a mistake stands in, where no number of the trace shows it.

What a training loop leaves out leaves nothing in a trace; the line is that of the call that is
meant, or of the one that it belongs after.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

__all__ = ["statement"]

_SCHEDULE = re.compile(r"LR$|[Ss]chedul")
_OPTIMIZER = re.compile(r"^(Adam|SGD|RMSprop|NAdam|RAdam|Adagrad|Adamax|Lion)|[Oo]ptim")
_LAST = "last "

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def statement(functions: Sequence[Function], says: Sequence[str]) -> int | None:
    """Return the line of the first of the statements that there is; None where there is none.

    says: `step`, `schedule.step`, `zero_grad`, `backward`, `clip`, `train`, `eval` for calls, be
    it that their brackets are forgotten; `optimizer`, `schedule` for where these are made;
    `maximize`, the argument; `model`, a call of what was handed in; `def`, the function itself.
    With `last` before it the last of several is meant.
    """
    nodes = [node for one in functions for node in ast.walk(one)]
    schedules = {
        target.id
        for node in nodes if isinstance(node, ast.Assign) and _makes(node.value, _SCHEDULE)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    arguments = {one.arg for function in functions for one in function.args.args}
    for said in says:
        wanted = said.removeprefix(_LAST)
        lines = sorted(
            node.lineno  # type: ignore[attr-defined]
            for node in nodes
            if _is(node, wanted, schedules, arguments)
        )
        if lines:
            return lines[-1 if said.startswith(_LAST) else 0]
    return None


def _is(node: ast.AST, said: str, schedules: set[str], arguments: set[str]) -> bool:
    if said == "def":
        return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    if said == "maximize":
        return isinstance(node, ast.Call) and any(one.arg == "maximize" for one in node.keywords)
    if said == "optimizer":
        return _makes(node, _OPTIMIZER)
    if said == "schedule":
        return _makes(node, _SCHEDULE) or _sets_rate(node)
    if said == "model":
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        return named and node.func.id in arguments  # type: ignore[attr-defined]
    if said == "clip":
        return isinstance(node, ast.Attribute | ast.Name) and "clip_grad" in _name(node)
    if not isinstance(node, ast.Attribute):
        return False
    of_schedule = isinstance(node.value, ast.Name) and node.value.id in schedules
    if said in {"step", "schedule.step"}:
        return node.attr == "step" and of_schedule is (said == "schedule.step")
    return node.attr == said


def _makes(node: ast.AST, kind: re.Pattern[str]) -> bool:
    return isinstance(node, ast.Call) and bool(kind.search(_name(node.func)))


def _sets_rate(node: ast.AST) -> bool:
    """Whether a statement writes an optimizer's `lr`."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    keys = (one.slice for one in targets if isinstance(one, ast.Subscript))
    return any(isinstance(key, ast.Constant) and key.value == "lr" for key in keys)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
