"""Ways to get scores wrong: scale, softmax, masks. Standard library only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .asking import called, constant, is_fill, is_root, is_scale, is_zero, keyword, number, receiver
from .source import Operator, Source

__all__ = ["SCORES"]

Texts = Iterator[str]

_DIVIDED = {"div", "div_", "mul", "mul_", "true_divide", "multiply"}
_WIDE = ("hidden_dim", "d_model", "embed_dim", "n_embd", "all_head_size", "hidden_size", "dim")
_INPUTS = ("x", "hidden_states", "query", "src", "X", "h")
_SEES = (
    "causal-excludes-self", "causal-sees-next", "causal-inverted", "causal-missing",
    "mask-inverted", "window-too-wide", "window-too-narrow", "window-both-sides", "window-missing",
    "length-off-by-one", "lengths-off-by-one", "padding-not-masked",
)  # fmt: skip


def _unscaled(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult)):
        if is_scale(node.right):
            yield source.said(node.left)
        elif isinstance(node.op, ast.Mult) and is_scale(node.left):
            yield source.said(node.right)
    if isinstance(node, ast.Call) and called(node) in _DIVIDED and node.args:
        taken = receiver(node)
        if is_scale(node.args[-1]) and taken is not None:
            yield source.said(taken)


def _no_root(source: Source, node: ast.AST) -> Texts:
    if called(node) == "sqrt" and isinstance(node, ast.Call) and len(node.args) == 1:
        inner = node.args[0]
        plain = isinstance(inner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        yield source.said(inner) if plain else f"({source.said(inner)})"
    if isinstance(node, ast.BinOp) and is_root(node):
        if constant(node.right, 0.5):
            yield source.said(node.left)
        elif constant(node.right, -0.5):
            yield f"{source.said(node.left)} ** -1"


def _multiplied(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and is_root(node.right):
        if not constant(node.left, 1):
            yield f"{source.said(node.left)} * {source.said(node.right)}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and constant(node.right, -0.5):
        yield f"{source.said(node.left)} ** 0.5"


def _width(node: ast.AST) -> ast.expr | None:
    """What a root is taken of."""
    if called(node) == "sqrt" and isinstance(node, ast.Call) and node.args:
        return node.args[0]
    return node.left if isinstance(node, ast.BinOp) and is_root(node) else None


def _by_hidden(source: Source, node: ast.AST) -> Texts:
    width = _width(node)
    if width is None:
        return
    at, arguments = source.said(node), source.arguments(node)
    own = [f"self.{name}" for name in _WIDE if f"self.{name} = " in source.text]
    given = [name for name in _WIDE if name in arguments]
    inputs = [f"{name}.size(-1)" for name in arguments if name in _INPUTS]
    for wide in (own or inputs)[:1] if not given else given[:1]:
        yield at.replace(source.said(width), wide, 1)


def _by_length(source: Source, node: ast.AST) -> Texts:
    width = _width(node)
    said = "" if width is None else source.said(width)
    for last, other in (("size(-1)", "size(-2)"), ("shape[-1]", "shape[-2]")):
        if said.endswith(last):
            yield source.said(node).replace(last, other, 1)


def _axis(node: ast.Call) -> ast.expr | None:
    axis = keyword(node, "dim") or keyword(node, "axis")
    numbers = [each for each in node.args if number(each) is not None]
    return axis or (numbers[-1] if numbers else None)


def _wrong_axis(source: Source, node: ast.AST) -> Texts:
    """Softmax over another axis. The call as it is, with the axis put anew."""
    if called(node) in {"softmax", "Softmax"} and isinstance(node, ast.Call):
        axis = _axis(node)
        if axis is not None:
            said, old = source.said(node), source.said(axis)
            for other in {"-1": ("-2", "1"), "3": ("2", "1"), "2": ("1",)}.get(old, ()):
                head, _, tail = said.rpartition(old)
                yield f"{head}{other}{tail}"


def _sum_axis(source: Source, node: ast.AST) -> Texts:
    if called(node) in {"sum", "mean", "var"} and isinstance(node, ast.Call):
        axis = _axis(node)
        if axis is not None:
            said, old = source.said(node), source.said(axis)
            head, _, tail = said.rpartition(old)
            for other in {"-1": ("-2",), "3": ("2",), "2": ("1",), "-2": ("-1",)}.get(old, ()):
                yield f"{head}{other}{tail}"


def _no_softmax(source: Source, node: ast.AST) -> Texts:
    if called(node) == "softmax" and (taken := receiver(node)) is not None:
        yield source.said(taken)


def _softmax_twice(source: Source, node: ast.AST) -> Texts:
    if called(node) == "softmax" and not isinstance(source.parent(node), ast.Attribute):
        yield f"{source.said(node)}.softmax(dim=-1)"


def _unstable(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        inner = node.right
        while isinstance(inner, (ast.Subscript, ast.Attribute)):
            inner = inner.value
        if called(inner) in {"max", "amax"} or source.said(inner) in {"peak", "m", "top"}:
            yield source.said(node.left)


def _inverted(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Compare) and is_zero(node.comparators[0]):
        turned = {"Eq": "!=", "NotEq": "=="}.get(type(node.ops[0]).__name__)
        if turned:
            yield f"{source.said(node.left)} {turned} 0"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield source.said(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        whole, owner = source.said(node), source.said(node.func.value)
        if node.func.attr == "logical_not":
            yield f"{owner}.bool()"
        elif node.func.attr in {"eq", "ne"}:
            yield whole.replace(f".{node.func.attr}(", ".ne(" if node.func.attr == "eq" else ".eq(")


def _fill_zero(_: Source, node: ast.AST) -> Texts:
    if is_fill(node):
        yield "0.0"


def _fill_small(source: Source, node: ast.AST) -> Texts:
    if is_fill(node):
        said = source.said(node)
        yield said.replace("e", "e-") if "e" in said and number(node) is not None else "-1.0"


def _thrown_away(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Assign) and called(node.value) == "masked_fill":
        taken = receiver(node.value)
        if taken is not None and source.said(taken) == source.said(node.targets[0]):
            yield source.said(node.value)


def _added(source: Source, node: ast.AST) -> Texts:
    """The mask itself, added to the scores or multiplied with them."""
    if called(node) == "masked_fill" and isinstance(node, ast.Call) and node.args:
        taken, hidden = receiver(node), node.args[0]
        if isinstance(hidden, ast.Compare) and taken is not None:
            yield f"{source.said(taken)} + {source.said(hidden.left)}"
            yield f"{source.said(taken)} * {source.said(hidden.left)}"


def _transposed(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Compare) and is_zero(node.comparators[0]):
        said = source.said(node.left)
        if "mask" in said:
            yield f"{said}.transpose(-2, -1) {source.said(node)[len(said) :].strip()}"


def _triangle(node: ast.AST) -> tuple[ast.Call, ast.expr | None] | None:
    """A call that cuts a triangle, and its diagonal."""
    if called(node).rstrip("_") not in {"tril", "triu"} or not isinstance(node, ast.Call):
        return None
    taken = receiver(node)
    rest = [each for each in node.args if each is not taken]
    return node, keyword(node, "diagonal") or (rest[0] if rest else None)


def _diagonal(source: Source, node: ast.AST) -> Texts:
    found = _triangle(node)
    if found is None:
        return
    call, diagonal = found
    said = source.said(call)
    if diagonal is None:
        between = ", " if call.args else ""
        for step in ("-1", "1"):
            yield f"{said[:-1]}{between}{step})"
        return
    old, known = source.said(diagonal), number(diagonal)
    head, _, tail = said.rpartition(old)
    for step in (-1, 1):
        if known is not None:
            yield f"{head}{int(known) + step}{tail}"
        elif old.endswith(" + 1") and step < 0:
            yield f"{head}{old[:-4]}{tail}"
        else:
            yield f"{head}{old} {'+' if step > 0 else '-'} 1{tail}"


def _from_start(source: Source, node: ast.AST) -> Texts:
    """A triangle that knows nothing of the keys before the first query."""
    found = _triangle(node)
    if found is not None and found[1] is not None and number(found[1]) is None:
        said, old = source.said(node), source.said(found[1])
        head, _, tail = said.rpartition(old)
        yield f"{head}{'1' if 'triu' in called(node) else '0'}{tail}"


def _other_triangle(source: Source, node: ast.AST) -> Texts:
    if _triangle(node) is not None:
        one, other = ("tril", "triu") if "tril" in called(node) else ("triu", "tril")
        head, _, tail = source.said(node).rpartition(one)
        yield f"{head}{other}{tail}"


def _compared(source: Source, node: ast.AST) -> Texts:
    """Positions compared the wrong way round, or with one too many or too few."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or is_zero(node.comparators[0]):
        return
    others = {"Gt": (">=", "<"), "GtE": (">", "<="), "Lt": ("<=", ">"), "LtE": ("<", ">=")}
    for other in others.get(type(node.ops[0]).__name__, ()):
        yield f"{source.said(node.left)} {other} {source.said(node.comparators[0])}"


def _one_more(source: Source, node: ast.AST) -> Texts:
    """A window's edge off by one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        if constant(node.right, 1):
            yield source.said(node.left)
    if isinstance(node, ast.UnaryOp) and source.said(node) == "-window":
        yield "-window - 1"
        yield "1 - window"


def _joined(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        other = "|" if isinstance(node.op, ast.BitAnd) else "&"
        yield f"{source.said(node.left)} {other} {source.said(node.right)}"
    if called(node) == "logical_and":
        yield source.said(node).replace("logical_and", "logical_or", 1)


def _one_side(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        yield source.said(node.left)
        yield source.said(node.right)
    if called(node) == "logical_and" and isinstance(node, ast.Call):
        yield from (source.said(each) for each in node.args[:2])


def _operator(name: str, texts: object, *mistakes: str) -> Operator:
    return Operator(name, frozenset(mistakes), texts)  # type: ignore[arg-type]


SCORES = (
    _operator("unscaled", _unscaled, "scale-missing", "grad-scale-missing"),
    _operator("no-root", _no_root, "scale-without-sqrt"),
    _operator("multiplied", _multiplied, "scale-multiplied"),
    _operator("by-hidden", _by_hidden, "scale-by-hidden-dim"),
    _operator("by-length", _by_length, "scale-by-length"),
    _operator("wrong-axis", _wrong_axis, "softmax-wrong-axis", "softmax-over-heads"),
    _operator(
        "sum-axis", _sum_axis, "softmax-wrong-axis", "row-sum-wrong-axis", "linear-wrong-axis",
        "summed-wrong-axis", "norm-wrong-axis", "qk-norm-wrong-axis", "axis-ignored",
    ),
    _operator("no-softmax", _no_softmax, "softmax-missing"),
    _operator("softmax-twice", _softmax_twice, "softmax-twice"),
    _operator("unstable", _unstable, "softmax-unstable"),
    _operator("inverted", _inverted, "mask-inverted", "causal-inverted"),
    _operator(
        "fill-zero", _fill_zero, "mask-fill-zero", "max-from-zero", "fill-not-inf",
        "causal-missing",
    ),
    _operator("fill-small", _fill_small, "mask-fill-small", "alibi-fill-finite", "fill-not-inf"),
    _operator(
        "thrown-away", _thrown_away, "mask-ignored", "causal-missing", "window-missing",
        "padding-not-masked",
    ),
    _operator("mask-added", _added, "mask-added", "mask-multiplied"),
    _operator("mask-transposed", _transposed, "mask-transposed"),
    _operator("diagonal", _diagonal, *_SEES),
    _operator("from-start", _from_start, "causal-from-start"),
    _operator("other-triangle", _other_triangle, "causal-inverted", "window-both-sides"),
    _operator("compared", _compared, *_SEES),
    _operator("one-more", _one_more, *_SEES),
    _operator("joined", _joined, "masks-ored", "window-joined-with-or", "mask-or-causal"),
    _operator(
        "one-side", _one_side, "mask-ignored", "causal-missing", "window-missing",
        "window-both-sides", "padding-not-masked",
    ),
)  # fmt: skip
