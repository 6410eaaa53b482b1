"""Is every shape comment of a model answer true?

`forward` runs on sizes of which no two are equal, traced line by line, and each trailing
comment such as `# (batch, heads, length, head_dim)` or `# 3 × (batch, length, hidden_dim)`
is held against what its line made.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from ..checker.judge.draw import small
from ..checker.judge.drawing import draw
from ..checker.judge.truth import Ready
from ..kata.reading import read_asked
from .layout import Kata, load_module, problem

__all__ = ["SIZES", "Comment", "comments", "shape_problems", "sizes_of"]

# Every name that a shape comment may use. No two sizes are equal, so that a comment
# which names the wrong axis cannot be true by coincidence.
SIZES = {
    "batch": 2,
    "heads": 3,
    "head_dim": 4,
    "length": 5,
    "query_length": 6,
    "key_length": 7,
    "hidden_dim": 12,
    "block_size": 16,
}

_ARGUMENTS: dict[str, object] = {
    "hidden_dim": SIZES["hidden_dim"],
    "num_heads": SIZES["heads"],
    "block_size": SIZES["block_size"],
}
_COMMENT = re.compile(r"#\s*(?:(\d+) × )?\((.*)\)$")
_NEAR = re.compile(r"#\s*(?:\d+\s*[×x*]\s*)?\(")
_CURE = "write what the line makes"

_Event = Callable[[FrameType, str, Any], Any]


@dataclass(frozen=True, slots=True)
class Comment:
    """A shape comment: its line, how many tensors it speaks of (0: one, unpacked), their axes."""

    line: int
    count: int
    axes: tuple[str, ...]


@dataclass(slots=True)
class _Watch:
    """What one traced run found: lines whose comment was held against a tensor, and faults."""

    file: str
    comments: dict[int, Comment]
    statements: dict[int, ast.stmt]
    sizes: Mapping[str, int]
    seen: set[int] = field(default_factory=set[int])
    faults: dict[int, str] = field(default_factory=dict[int, str])

    def trace(self, frame: FrameType, event: str, _: object) -> _Event | None:
        """Follow a call into the file that is read, and into no other."""
        if event != "call" or frame.f_code.co_filename != self.file:
            return None
        last: ast.stmt | None = None

        def follow(frame: FrameType, event: str, value: object) -> _Event:
            nonlocal last
            here = self.statements.get(frame.f_lineno)
            if event in {"line", "return"} and last is not None:
                if event == "return" and isinstance(last, ast.Return):
                    self.hold(last, [value])
                elif here is not last or event == "return":
                    self.hold(last, _made(last, frame))
            last = here if event == "line" else None
            return follow

        return follow

    def hold(self, statement: ast.stmt, made: list[object] | None) -> None:
        """Hold the comment of a statement, if it has one, against what was made."""
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            comment = self.comments.get(line)
            if comment is None or self.statements.get(line) is not statement:
                continue
            self.seen.add(line)
            fault = _fault(comment, made, self.sizes)
            if fault:
                self.faults[line] = fault


def comments(source: str, sizes: Mapping[str, int] = SIZES) -> tuple[list[Comment], list[int]]:
    """Return the shape comments at line ends, and the lines of those that cannot be read."""
    found: list[Comment] = []
    unreadable: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        trailing = bool(token.line[: token.start[1]].strip())
        if token.type != tokenize.COMMENT or not trailing or not _NEAR.match(token.string):
            continue
        match = _COMMENT.match(token.string)
        axes = tuple(axis.strip() for axis in match[2].split(",") if axis.strip()) if match else ()
        if match is None or any(_size(axis, sizes) is None for axis in axes):
            unreadable.append(line)
        else:
            found.append(Comment(line, int(match[1] or 0), axes))
    return found, unreadable


def shape_problems(kata: Kata) -> Iterator[str]:
    """Yield a problem for each shape comment that is false, unreadable or never reached."""
    file = f"reference/{kata.reference.name}"
    source = kata.reference.read_text("utf-8")
    sizes = sizes_of(kata)
    wanted, unreadable = comments(source, sizes)
    for line in unreadable:
        names = ", ".join(sizes)
        wrong = "has a shape comment that cannot be read"
        yield problem(f"{file}:{line}", wrong, f"use numbers, `*` and the names {names}")
    watch = _Watch(
        str(kata.reference),
        {comment.line: comment for comment in wanted},
        _statements(ast.parse(source)),
        sizes,
    )
    try:
        _run(kata, watch)
    except Exception as fault:  # noqa: BLE001 - whatever a model answer raises is a problem to tell
        wrong = f"raises {type(fault).__name__} on plain inputs ({fault})"
        yield problem(file, wrong, "make it run as the contract says")
        return
    for line, fault in sorted(watch.faults.items()):
        yield problem(f"{file}:{line}", fault, _CURE)
    for line in sorted(set(watch.comments) - watch.seen):
        wrong = "has a shape comment on a line that names and returns nothing, or never runs"
        yield problem(f"{file}:{line}", wrong, "put it on a line that makes a tensor")


def sizes_of(kata: Kata) -> Mapping[str, int]:
    """The sizes by the names that a kata's shape comments may use."""
    sizes = read_asked(kata.data).sizes
    return {sizes.axes[symbol]: size for symbol, size in sizes.first().items()}


def _run(kata: Kata, watch: _Watch) -> None:
    """Call every function, with its choices as they are by default, and with every mask."""
    module = load_module(kata.reference)
    asked = read_asked(kata.data)
    draws = torch.Generator().manual_seed(0)
    before = sys.gettrace()
    for function in asked.functions:
        shapes = len(function.mask.shapes) if function.mask is not None else 1
        for turn in range(shapes):
            for mask in (False, True):
                for case in small(function, asked.sizes, mask=mask, turn=turn):
                    needs = function.mask is not None and not function.mask.optional
                    usual = not any(
                        one.optional and case.chosen.get(one.name) != one.default
                        for one in function.arguments
                        if one.kind == "choice" and one.values[0] not in {False, True}
                    )
                    if usual and (case.mask is not None or not needs):
                        given = draw(function, case, draws)
                        made = getattr(module, function.name)
                        sys.settrace(watch.trace)
                        try:
                            call = Ready(made, given) if isinstance(made, type) else made
                            call(**given.handed)
                        finally:
                            sys.settrace(before)


def _statements(tree: ast.Module) -> dict[int, ast.stmt]:
    """Return the simple statement that each line belongs to."""
    simple = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
    return {
        line: node
        for node in ast.walk(tree)
        if isinstance(node, simple)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _made(statement: ast.stmt, frame: FrameType) -> list[object] | None:
    """Return what a statement has bound: several values where it unpacks; None if nothing."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        target = statement.target
    else:
        return None
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    try:
        return [_value(part, frame) for part in parts]
    except (AttributeError, KeyError):  # the line raised before it could bind
        return None


def _value(target: ast.expr, frame: FrameType) -> object:
    if isinstance(target, ast.Attribute):
        return getattr(_value(target.value, frame), target.attr)
    return frame.f_locals[target.id] if isinstance(target, ast.Name) else None


def _fault(comment: Comment, made: list[object] | None, sizes: Mapping[str, int]) -> str | None:
    """Return what is false about a comment, given what its line made."""
    if made is None or not all(isinstance(value, Tensor) for value in made):
        return "has a shape comment and makes no tensor"
    if len(made) != (comment.count or 1):
        return f"makes {len(made)} tensors and says {comment.count or 1}"
    wanted = tuple(_size(axis, sizes) for axis in comment.axes)
    for value in made:
        assert isinstance(value, Tensor)
        if tuple(value.shape) != wanted:
            said = f"({', '.join(comment.axes)}), which is {_tuple(wanted)}"
            return f"says {said}, and makes {_tuple(tuple(value.shape))}"
    return None


def _tuple(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join(map(str, shape))})"


def _size(axis: str, sizes: Mapping[str, int]) -> int | None:
    """Return the size of an axis such as `heads`, `1` or `3 * hidden_dim`, or None."""
    size = 1
    for factor in axis.split("*"):
        word = factor.strip()
        value = int(word) if word.isdigit() else sizes.get(word)
        if value is None:
            return None
        size *= value
    return size
