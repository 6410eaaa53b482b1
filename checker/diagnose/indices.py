"""What is wrong with an index: a float, or a number that no entry has."""

from __future__ import annotations

import ast
import re

from ..judge.source import Source
from ..judge.written import function_at
from ..process.answers import Operation, Part, Raised
from ..report.message import Message, say

__all__ = ["about_index"]

_FLOATS = re.compile(
    r"tensors used as indices must be|dtype of indices should be"
    r"|Expected dtype int\S*(?: or \S+)? for index|argument #\d 'indices' to have one of"
)
_WHOLE = re.compile(
    r"(?:list|tuple) indices must be integers or slices, not (float|Tensor)"
    r"|slice indices must be integers|are valid indices \(got float\)"
)
_ONE = "only integer tensors of a single element can be converted to an index"
_RANGE = re.compile(
    r"index -?\d+ is out of bounds for dimension \d+ with size (\d+)"
    r"|index out of range in self|out of DATA bounds, id=-?\d+ axis_dim=(\d+)"
    r"|Target -?\d+ is out of bounds|Class values must be"
)
# Where an index counts from the end if it is negative.
_FROM_THE_END = {"[]"}
_LOSSES = {"cross_entropy", "nll_loss"}


def about_index(fault: Raised, source: Source) -> Message | None:
    """Say what is wrong with an index, where an exception comes of one."""
    reason, made = fault.message, fault.made_of
    if re.search("(?:list|tuple) index out of range", reason):
        return _beyond(made)
    whole = _WHOLE.search(reason)
    if whole is not None and whole[1] != "Tensor":
        return _half(source, fault.line)
    if whole is not None or _ONE in reason:
        return say("crash-index-tensor")
    if made is None:
        return None
    if _FLOATS.search(reason):
        return _floats(made, source, fault.line, table="'indices'" in reason)
    ranged = _RANGE.search(reason)
    return _out_of_range(made, ranged[1] or ranged[2]) if ranged is not None else None


def _beyond(made: Operation | None) -> Message | None:
    """How long a list is, and which entry is asked for."""
    if made is None or made.length is None or "0" not in made.numbers:
        return None
    index, many = made.numbers["0"], made.length
    if -many <= index < many:
        return None
    tree = _parsed(made.text)
    node = tree.body if tree is not None else None
    if not isinstance(node, ast.Subscript):
        return None
    name = ast.unparse(node.value)
    key = "crash-list-index" if index >= 0 else "crash-list-index-end"
    return say(key, name=name, many=many, index=index)


def _parsed(text: str) -> ast.Expression | None:
    """An expression as a process says that it is written; None of one that was cut, or is none."""
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _half(source: Source, line: int | None) -> Message:
    """Say that an index is no int, and which `/` on its line, or before, makes it a float."""
    on_line = (node for node in ast.walk(source.tree) if getattr(node, "lineno", None) == line)
    many = [node.slice for node in on_line if isinstance(node, ast.Subscript)]
    if any(map(_divides, many)):
        return say("crash-index-half")
    names = {one.id for node in many for one in ast.walk(node) if isinstance(one, ast.Name)}
    made = {name: _set_by_division({name}, source, line) for name in names}
    found = [(name, place) for name, place in made.items() if place is not None]
    if len(found) != 1:
        return say("crash-index-whole")
    return say("crash-index-named", name=found[0][0], line=found[0][1])


def _floats(made: Operation, source: Source, line: int | None, *, table: bool) -> Message | None:
    """Which index holds floats, and the division that makes it.

    table: whether it stands before what it chooses from, as in an embedding.
    """
    behind = [one for one in made.parts[1:] if "float" in one.dtype]
    index = made.parts[:1] if table else behind
    if len(index) != 1:
        return say("crash-index-float-plain")
    place = _divided(index[0], source, line)
    if place is not None:
        return say("crash-index-divided", name=index[0].text, line=place)
    return say("crash-index-float", name=index[0].text)


def _divided(part: Part, source: Source, line: int | None) -> int | None:
    """The line on which `/` makes an operand: where it stands, or where its name is set."""
    own = _parsed(part.text)
    if line is None or own is None:
        return None
    if _divides(own):
        return line
    names = {node.id for node in ast.walk(own) if isinstance(node, ast.Name)}
    return _set_by_division(names, source, line)


def _set_by_division(names: set[str], source: Source, line: int | None) -> int | None:
    """The line before another on which `/` makes what one of some names stands for."""
    if line is None:
        return None
    function = function_at(source, line)
    before = [
        node
        for node in ast.walk(function or source.tree)
        if isinstance(node, ast.Assign) and node.lineno < line
        and any(isinstance(one, ast.Name) and one.id in names for one in node.targets)
    ]  # fmt: skip
    return before[0].lineno if len(before) == 1 and _divides(before[0].value) else None


def _divides(node: ast.AST) -> bool:
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in ast.walk(node))


def _out_of_range(made: Operation, told: str | None) -> Message | None:
    """Which index holds numbers that no entry has, and which there are."""
    size = int(told) if told is not None else _entries(made)
    if size is None or not size:
        return None
    least = -size if made.call in _FROM_THE_END else 0
    if least and len([one for one in made.parts[1:] if one.least is not None]) != 1:
        # Each of several indices has an axis of its own.
        return None
    for one in made.parts:
        low, high = one.least, one.most
        if low is None or high is None or (low >= least and high < size):
            continue
        # What is gathered from may hold any numbers: it is told of only where it is alone.
        if one is made.parts[0] and told is not None and len(made.parts) > 1:
            continue
        if made.call in _LOSSES and low < 0 and high >= size:
            # What is below 0 may be the number that is left out.
            return None
        values = {"low": low, "high": high, "least": least, "most": size - 1}
        return say("crash-range" if low != high else "crash-range-one", name=one.text, **values)
    return None


def _entries(made: Operation) -> int | None:
    """How many entries an index chooses from, where the exception does not say so."""
    if made.call in _LOSSES:
        logits = made.parts[0].shape
        return logits[1] if len(logits) > 1 else next(iter(logits), None)
    if made.call == "one_hot":
        return made.numbers.get("1", made.numbers.get("num_classes"))
    tables = [one for one in made.parts if one.least is None and len(one.shape) == 2]
    return tables[0].shape[0] if len(tables) == 1 else None
