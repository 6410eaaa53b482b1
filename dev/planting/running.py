"""Ways to get wrong how code runs: dtypes, devices, gradients, memory. Standard library only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .asking import called, keyword, receiver
from .source import Operator, Source

__all__ = ["RUNNING"]

Texts = Iterator[str]

_MAKES = {"zeros", "ones", "full", "arange", "empty", "tensor", "eye"}
_VIEWS = {
    "transpose", "permute", "swapaxes", "movedim", "view", "expand", "unsqueeze", "moveaxis",
    "swapdims", "mT",
}  # fmt: skip


def _left_to_default(source: Source, node: ast.AST, name: str) -> Texts:
    if called(node) in _MAKES and isinstance(node, ast.Call):
        given = keyword(node, name)
        if given is not None and "bool" not in source.said(given):
            said = source.said(node)
            yield re.sub(rf",\s*{name}={re.escape(source.said(given))}", "", said)


def _no_device(source: Source, node: ast.AST) -> Texts:
    yield from _left_to_default(source, node, "device")


def _no_dtype(source: Source, node: ast.AST) -> Texts:
    yield from _left_to_default(source, node, "dtype")
    if called(node) in {"type_as", "to"} and isinstance(node, ast.Call) and len(node.args) == 1:
        said = source.said(node.args[0])
        if said.endswith(".dtype") or called(node) == "type_as":
            taken = receiver(node)
            if taken is not None:
                yield source.said(taken)


def _float(source: Source, node: ast.AST) -> Texts:
    """A result in float32, whatever came in."""
    if isinstance(node, ast.Return) and isinstance(node.value, (ast.BinOp, ast.Call)):
        if source.function(node) is not None and not isinstance(node.value, ast.Tuple):
            yield f"return {_whole(source, node.value)}.float()"


def _no_gradient(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Return) and isinstance(node.value, (ast.BinOp, ast.Call)):
        yield f"return {_whole(source, node.value)}.detach()"


def _whole(source: Source, node: ast.expr) -> str:
    """What a method can be called on: a call as it stands, anything else in parentheses."""
    said = source.said(node)
    return said if isinstance(node, ast.Call) else f"({said})"


def _in_place(source: Source, node: ast.AST) -> Texts:
    """A method that writes into its tensor in the place of one that makes another."""
    if isinstance(node, ast.Call) and called(node) in {"masked_fill", "div", "mul", "add"}:
        said = source.said(node)
        head, name, tail = said.rpartition(f".{called(node)}(")
        if name:
            yield f"{head}.{called(node)}_({tail}"


def _copied(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Return) and node.value is not None:
        if called(node.value) in _VIEWS:
            yield f"return {source.said(node.value)}.contiguous()"
            yield f"return {source.said(node.value)}.clone()"


def _shared(source: Source, node: ast.AST) -> Texts:
    """A copy that was asked for left out."""
    if called(node) in {"contiguous", "clone"} and (taken := receiver(node)) is not None:
        yield source.said(taken)


def _by_other_means(source: Source, node: ast.AST) -> Texts:
    """The same by an operator that the exercise does not ask for."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield f"torch.matmul({source.said(node.left)}, {source.said(node.right)})"
    if called(node) in {"matmul", "bmm"} and isinstance(node, ast.Call) and len(node.args) == 2:
        one, other = (source.said(each) for each in node.args)
        yield f"{one} @ {other}"
    said = source.said(node)
    for old, new in (
        (".transpose(1, 2)", ".permute(0, 2, 1, 3)"),
        (".permute(0, 2, 1, 3)", ".transpose(1, 2)"),
        (".swapaxes(1, 2)", ".transpose(1, 2)"),
        (".movedim(1, 2)", ".transpose(1, 2)"),
    ):
        if called(node) in _VIEWS and said.endswith(old):
            yield said[: -len(old)] + new


def _operator(name: str, texts: object, *mistakes: str) -> Operator:
    return Operator(name, frozenset(mistakes), texts)  # type: ignore[arg-type]


RUNNING = (
    _operator("no-device", _no_device, "device-hardcoded"),
    _operator("no-dtype", _no_dtype, "dtype-hardcoded", "result-dtype", "rope-low-precision"),
    _operator("float", _float, "result-dtype", "dtype-hardcoded"),
    _operator("no-gradient", _no_gradient, "detached"),
    _operator("in-place", _in_place, "input-modified", "overwritten-in-place"),
    _operator("copied", _copied, "result-copied"),
    _operator("shared", _shared, "result-shared", "result-strides", "expand-written"),
    _operator("by-other-means", _by_other_means, "operator-missing"),
)
