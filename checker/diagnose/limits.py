"""Code that is right up to some size: which size it is, told by what passes and what fails."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Sized", "fixed_size", "limit_line", "outgrown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """One call: its batch and its greatest length, and how it went.

    kind: the finding's, nothing where it was right. line: that of what it raised. masked:
    whether it had a mask, None where it was no plain call. room: how many positions more an
    object of this size is made for, 0 where it is made for any. widths: sizes that are no lengths.
    """

    batch: int
    length: int
    kind: str
    line: int | None
    masked: bool | None = None
    room: int = 0
    widths: Mapping[str, int] = field(default_factory=dict)


def outgrown(bad: Sequence[Sized], good: Sequence[Sized]) -> bool:
    """Whether calls go wrong where they are longer than something is wide, and only there.

    A table that is made as long as a layer is wide does so.
    """
    named = [name for name in good[0].widths if len({one.widths[name] for one in good}) > 1]
    return any(
        all(one.length <= one.widths[name] for one in good)
        and all(one.length > one.widths[name] for one in bad)
        for name in named
    )


def fixed_size(calls: Sequence[Sized]) -> str | None:
    """Name the size that tells the calls that go wrong from those that are right."""
    bad, good = [one for one in calls if one.kind], [one for one in calls if not one.kind]
    if not bad or not good:
        return None
    raised = all(one.kind in {"raised", "shape"} for one in bad)
    batches = {one.batch for one in good}
    if raised and len(batches) == 1 and not batches & {one.batch for one in bad}:
        return "batch-fixed"
    longest = max(one.length for one in good)
    fixed = min(one.length for one in bad) > longest > 1 or (raised and outgrown(bad, good))
    return "length-fixed" if fixed else None


def limit_line(tree: ast.AST, calls: Sequence[Sized]) -> int | None:
    """The one line that writes down a length at which calls begin to go wrong.

    Where there is none, or several, the line that raised; else a default that nobody gives, or a
    length that is reached before, where calls hand something on.
    """
    right = max((one.length for one in calls if not one.kind), default=1)
    wrong = min((one.length for one in calls if one.kind), default=right)
    heads = {
        id(node)
        for function in ast.walk(tree) if isinstance(function, (ast.FunctionDef, ast.Lambda))
        for default in (*function.args.defaults, *function.args.kw_defaults) if default is not None
        for node in ast.walk(default)
    }  # fmt: skip
    numbers = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    written = [node for node in numbers if id(node) not in heads]
    raised = next((one.line for one in calls if one.line is not None), None)
    return (
        _only_line(written, right, wrong)
        or raised
        or _only_line(numbers, right, wrong)
        or _only_line(written, wrong // 2, wrong)
    )


def _only_line(numbers: Sequence[ast.Constant], low: int, high: int) -> int | None:
    """The one line with a number from low on and below high."""
    lines = {
        node.lineno for node in numbers if type(node.value) is int and low <= node.value < high
    }
    return lines.pop() if len(lines) == 1 else None
