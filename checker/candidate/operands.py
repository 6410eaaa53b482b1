"""In the candidate's process: the expression that raised, and the shapes of what it is made of.

Only what changes nothing is worked out again: names, attributes, calls of torch's own that make
something new.
"""

from __future__ import annotations

import ast
import linecache
import operator
import types
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["operands"]

# How long an expression may be to be shown, and how many operands are told of.
_LONGEST, _MOST = 60, 4
# Up to so many whole numbers are looked through for the smallest and the largest.
_ENTRIES, _LARGEST = 1 << 20, 1 << 63
_WHOLE = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}
_KINDS = (ast.BinOp, ast.AugAssign, ast.Call, ast.Compare, ast.UnaryOp, ast.Subscript)
_trees: dict[str, ast.Module] = {}


class _Unknown(Exception):
    """A value that cannot be worked out without running what may change something."""


def operands(frame: types.FrameType, line: int, last: int) -> dict[str, Any] | None:
    """Describe what a frame ran when it raised; None where that cannot be told.

    last: the place in its bytecode. In the answer, `call` is what the expression does ("matmul",
    "+", a function's name), `text` how it is written, and `parts` are its tensors, each with
    `text`, `shape` and `dtype`. `numbers` are the whole numbers that it is given, `length` is that
    of a list which is indexed, or of what is taken apart into names.
    """
    try:
        statements = _statements(frame.f_code.co_filename, line)
        values = _Values({**frame.f_globals, **frame.f_locals})
        with torch.no_grad():
            node = _marked(frame.f_code, last, statements) or values.culprit(statements)
            if node is None:
                return values.taken_apart(statements)
            parts, numbers = list(values.parts(node)), values.numbers(node)
            length = values.length(node)
    except Exception:  # noqa: BLE001 - it explains an exception and must not be another
        return None
    if not parts and length is None:
        return None
    return {"call": _named(node), "text": _text(node), "parts": parts[:_MOST],
            "numbers": numbers, "length": length}  # fmt: skip


def _statements(path: str, line: int) -> list[ast.stmt]:
    """The innermost statements on a line."""
    if path not in _trees:
        _trees[path] = ast.parse("".join(linecache.getlines(path)))
    around = [
        node
        for node in ast.walk(_trees[path])
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line)
    ]
    last = max(node.lineno for node in around)
    return [node for node in around if node.lineno == last]


def _marked(code: types.CodeType, last: int, statements: list[ast.stmt]) -> ast.AST | None:
    """The node whose code was running, where Python notes it, as it does from 3.11 on."""
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None
    place = next(islice(positions(), last // 2, None), None)
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, _KINDS):
            own = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            if own == place:
                return node
    return None


class _Values:
    """Works out expressions again. scope: what their names stand for."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope

    def culprit(self, statements: list[ast.stmt]) -> ast.AST | None:
        """The innermost expression that raises though its parts do not."""
        for node in (node for statement in statements for node in _inner_first(statement)):
            if isinstance(node, _KINDS) and not isinstance(node, ast.AugAssign):
                try:
                    self.of(node)
                except _Unknown:
                    continue
                except Exception:  # noqa: BLE001 - this is the one that is looked for
                    return node
        return next((one for one in statements if isinstance(one, ast.AugAssign)), None)

    def parts(self, node: ast.AST) -> Iterator[dict[str, Any]]:
        """The tensors that a node is made of."""
        for one in _made_of(node):
            try:
                value: Any = self.of(one)
            except Exception:  # noqa: BLE001, S112 - not to be told of then
                continue
            text = _text(one)
            if isinstance(value, nn.Module):
                value, text = getattr(value, "weight", None), f"{text}.weight"
            if type(value) in {Tensor, nn.Parameter}:
                yield _part(text, value)

    def numbers(self, node: ast.AST) -> dict[str, int]:
        """The whole numbers that a call or an index is given."""
        given = {str(at): one for at, one in enumerate(getattr(node, "args", []))}
        given |= {one.arg: one.value for one in getattr(node, "keywords", []) if one.arg}
        if isinstance(node, ast.Subscript):
            given = {"0": node.slice}
        values = {name: self._try(one) for name, one in given.items()}
        return {
            name: value for name, value in values.items()
            if type(value) is int and abs(value) < _LARGEST
        }  # fmt: skip

    def length(self, node: ast.AST) -> int | None:
        """How many entries a list or a tuple has that is indexed."""
        held: Any = self._try(node.value) if isinstance(node, ast.Subscript) else None
        return len(held) if type(held) in {list, tuple, torch.Size} else None

    def taken_apart(self, statements: list[ast.stmt]) -> dict[str, Any] | None:
        """Describe what is taken apart into names that are too many or too few.

        Of a tensor, and of what a name holds, `call` is "="; else it is the function that made
        the pieces.
        """
        for one in (node for node in statements if isinstance(node, ast.Assign)):
            if not isinstance(one.targets[0], (ast.Tuple, ast.List)):
                continue
            value = self.of(one.value)
            if type(value) in {Tensor, nn.Parameter}:
                return {"call": "=", "text": _text(one), "parts": [_part(_text(one.value), value)]}
            called = isinstance(one.value, ast.Call)
            parts = list(self.parts(one.value))[:_MOST] if called else []
            if type(value) in {list, tuple, torch.Size} and parts:
                return {"call": _named(one.value), "text": _text(one.value), "parts": parts,
                        "numbers": self.numbers(one.value), "length": len(value)}  # fmt: skip
            named = isinstance(one.value, (ast.Name, ast.Attribute))
            if type(value) in {list, tuple} and named:
                return {"call": "=", "text": _text(one.value), "parts": [], "length": len(value)}
        return None

    def _try(self, node: ast.AST) -> Any:
        try:
            return self.of(node)
        except Exception:  # noqa: BLE001 - not to be told of then
            return None

    def of(self, node: ast.AST) -> Any:
        """The value of an expression. Raise _Unknown, or what it raises itself."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in self.scope:
                raise _Unknown
            return self.scope[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.of(one) for one in node.elts)
        if isinstance(node, ast.Attribute):
            return _attribute(self.of(node.value), node.attr)
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return slice(*(None if end is None else self.of(end) for end in ends))
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)):
            return self._operated(node)
        raise _Unknown

    def _operated(self, node: ast.expr) -> Any:
        """Use an operator on values that are torch's or Python's own."""
        values = [self.of(one) for one in _sides(node)]
        sign = _sign(node)
        if sign not in _OPERATORS or any(type(one).__module__ not in _SAFE for one in values):
            raise _Unknown
        return _OPERATORS[sign](*values)

    def _called(self, node: ast.Call) -> Any:
        function = self.of(node.func)
        args = [self.of(one) for one in node.args]
        named = {one.arg: self.of(one.value) for one in node.keywords if one.arg is not None}
        name = str(getattr(function, "__name__", ""))
        layer = isinstance(function, nn.Module) and type(function).__module__.startswith("torch.")
        bound = isinstance(getattr(function, "__self__", None), Tensor)
        own = str(getattr(function, "__module__", "")).partition(".")[0] in {"torch", "math"}
        known = bound or own or function in {int, float, len, tuple, list, min, max}
        if not (layer or known) or name.endswith("_") or "out" in named or "inplace" in named:
            raise _Unknown
        return function(*args, **named)


_SAFE = {"torch", "torch.nn.parameter", "builtins", "numpy"}


def _part(text: str, value: Tensor) -> dict[str, Any]:
    """A tensor as it is told of; of whole numbers the smallest and the largest."""
    dtype = str(value.dtype).removeprefix("torch.")
    part = {"text": text, "shape": list(value.shape), "dtype": dtype}
    # What another device holds is left there: asking may wait for it, or end it.
    near = value.device.type == "cpu" and value.layout is torch.strided
    if near and value.dtype in _WHOLE and 0 < value.numel() <= _ENTRIES:
        part |= {"least": int(value.min()), "most": int(value.max())}
    return part


def _attribute(owner: Any, name: str) -> Any:
    """An attribute that no code of the submission makes."""
    if isinstance(owner, nn.Module):
        for held in ("_parameters", "_buffers", "_modules"):
            if name in vars(owner).get(held, {}):
                return vars(owner)[held][name]
    if isinstance(owner, (Tensor, types.ModuleType)):
        return getattr(owner, name)
    held = getattr(owner, "__dict__", {})
    if name in held:
        return held[name]
    named = vars(type(owner)).get("_fields", ()) if issubclass(type(owner), tuple) else ()
    if type(named) is tuple and name in named:
        entries: Any = owner
        return tuple.__getitem__(entries, named.index(name))
    raise _Unknown


def _sides(node: ast.AST) -> list[ast.expr]:
    """What an operator joins."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return [node.value, node.slice] if isinstance(node, ast.Subscript) else []


def _inner_first(node: ast.AST) -> Iterator[ast.AST]:
    """A tree in the order in which Python works it out."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.Lambda)):
            yield from _inner_first(child)
    yield node


def _made_of(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return [node.value, *node.slice.elts]
    if not isinstance(node, ast.Call):
        return _sides(node)
    inputs = [*node.args, *(one.value for one in node.keywords)]
    # What is put in a list, as for `torch.cat`, counts one by one.
    lists = [one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one] for one in inputs]
    # A method's own tensor comes first, a layer's weight behind what it is given.
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return [*owner, *(one for many in lists for one in many), node.func]


_OPERATORS: dict[str, Callable[..., Any]] = {
    "@": operator.matmul, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
    "&": operator.and_, "|": operator.or_, "~": operator.invert, "neg": operator.neg,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "[]": operator.getitem,
}  # fmt: skip
_SIGNS: dict[type[ast.AST], str] = {
    ast.MatMult: "@", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
    ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.Invert: "~",
    ast.USub: "neg", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
}  # fmt: skip


def _sign(node: ast.AST) -> str:
    if isinstance(node, ast.Subscript):
        return "[]"
    op: Any = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
    return next((sign for kind, sign in _SIGNS.items() if isinstance(op, kind)), "")


def _named(node: ast.AST) -> str:
    """What an expression does: a sign, or the name of what it calls."""
    if isinstance(node, ast.Call):
        return node.func.attr if isinstance(node.func, ast.Attribute) else _text(node.func)
    return _sign(node) + "=" * isinstance(node, ast.AugAssign)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
