"""What an expression of a submission does: its names and calls, and what it scales by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary import words

__all__ = [
    "MOVES", "assigned", "at_once", "bounds", "calculates", "called", "calls", "computes",
    "fractional", "left_early", "moved_name", "name_of", "of_a_library", "of_self", "paired",
    "passed_on", "picked_by", "plainly", "reads_a_size", "says_scale", "scales", "scaling",
    "shifts", "slice_ends", "span", "starts", "turns",
]  # fmt: skip

_SCALE_WORDS = {
    "scale", "scaling", "scaled", "factor", "norm", "temperature", "temp", "root", "sqrt", "denom",
    "denominator", "divisor", "inv", "rsqrt", "tau",
}  # fmt: skip
# Calls that turn a mask round.
_TURNING = {"logical_not", "bitwise_not"}
# Calls that pick entries by their places.
_PICKS = {"index_select", "gather", "take", "take_along_dim"}
# What brings a tensor's axes into another order.
MOVES = {"transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "mT", "mH"}
# Whose attributes are functions that take a tensor first.
_NO_TENSORS = {"self", "torch", "F", "functional", "einops"}
_SCALING_CALLS = {"div", "mul", "div_", "mul_", "true_divide", "multiply", "divide", "baddbmm"}


def calls(node: ast.AST | None) -> list[ast.Call]:
    """All calls in an expression or statement."""
    return [n for n in ast.walk(node) if isinstance(n, ast.Call)] if node is not None else []


def called(call: ast.Call) -> str:
    """The name that a call calls, of an attribute the last part."""
    return name_of(call.func)


def name_of(node: ast.AST) -> str:
    """The name that a node is, of an attribute the last part; empty where it is none."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def of_self(node: ast.expr) -> bool:
    """Whether it is an attribute of `self`."""
    return isinstance(node, ast.Attribute) and name_of(node.value) == "self"


def span(node: ast.stmt | ast.expr) -> range:
    """The lines on which a piece of code stands."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def at_once(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each two of the names that are bound to one value together, as in `k = v = made`."""
    many = node.targets if isinstance(node, ast.Assign) else []
    return ((one, other) for one in many for other in many if one is not other)


def paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is bound, with its value: of two tuples each with its own."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its own value, where tuples can be told apart."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    if isinstance(node, ast.NamedExpr):
        yield node.target, node.value
    for target in node.targets if isinstance(node, ast.Assign) else ():
        assert isinstance(node, ast.Assign)
        if isinstance(target, (ast.Tuple, ast.List)):
            whole = isinstance(node.value, (ast.Tuple, ast.List))
            values = node.value.elts if whole else [node.value] * len(target.elts)  # type: ignore[attr-defined]
            if len(values) == len(target.elts):
                yield from zip(target.elts, values, strict=True)
        else:
            yield target, node.value


def scaling(statement: ast.AST | None) -> Iterator[ast.expr]:
    """What a statement divides or multiplies by."""
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult)):
            yield from (node.right, node.left)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Div, ast.Mult)):
            yield node.value
        elif isinstance(node, ast.Call):
            if called(node) in _SCALING_CALLS:
                yield from node.args
            for keyword in node.keywords:
                if keyword.arg in {"alpha", "scale", "scaling", "temperature"}:
                    yield keyword.value


def scales(value: ast.expr) -> bool:
    """Whether an expression scales by a number that it works out, or that is called a scale."""
    return computes(value, named=False) or any(map(says_scale, scaling(value)))


def computes(value: ast.expr, *, named: bool) -> bool:
    """Whether an expression works a scale out, and does not only name a size."""
    for node in ast.walk(value):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.Div)):
            return True
        if isinstance(node, ast.Call) and any(w in called(node) for w in ("sqrt", "pow")):
            return True
        if named and isinstance(node, (ast.BinOp, ast.Constant, ast.Call)):
            return True
    return False


def says_scale(node: ast.expr) -> bool:
    """Whether a name says that it is a scale."""
    return bool(set(words(name_of(node))) & _SCALE_WORDS)


def slice_ends(node: ast.AST) -> list[ast.expr]:
    """The ends of the slices that an entry is taken by, or that of one that is made by `slice`."""
    if isinstance(node, ast.Subscript):
        return [n.upper for n in ast.walk(node.slice) if isinstance(n, ast.Slice) and n.upper]
    if isinstance(node, ast.Call) and called(node) == "slice":
        return node.args[:2][-1:]
    return []


def starts(function: ast.AST | None) -> list[str]:
    """The names that a function counts on from: `arange(start, end)`, `arange(length) + start`."""
    found: list[ast.expr] = []
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Call) and called(node) == "arange":
            found += node.args[:1] if node.args[1:] else []
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            counted = (isinstance(one, ast.Call) and called(one) == "arange" for one in sides)
            found += sides if any(counted) else []
    return [one.id for one in found if isinstance(one, ast.Name)]


def picked_by(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement or an expression picks entries by."""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript):
            yield part.slice
        elif isinstance(part, ast.Call) and called(part) in _PICKS:
            yield from (*part.args, *(word.value for word in part.keywords))


def calculates(value: ast.AST) -> bool:
    """Whether an expression adds, multiplies or the like."""
    return any(isinstance(node, ast.BinOp) for node in ast.walk(value))


def bounds(value: ast.AST) -> bool:
    """Whether an expression is the larger or the smaller of numbers."""
    return isinstance(value, ast.Call) and called(value) in {"max", "min"}


def shifts(node: ast.AST) -> bool:
    """Whether an expression adds a number of its own, or takes it away."""
    sums = (n for n in ast.walk(node) if isinstance(n, ast.BinOp))
    return any(
        isinstance(one.op, (ast.Add, ast.Sub)) and isinstance(part, ast.Constant)
        for one in sums for part in (one.left, one.right)
    )  # fmt: skip


def plainly(node: ast.AST) -> bool:
    """Whether what a statement calls is of `math` or Python's own: it works a number out."""
    made = (call.func for call in calls(node))
    said = (getattr(getattr(func, "value", None), "id", "math") for func in made)
    return calculates(node) and {*said} <= {"math", "np", "numpy"}


def fractional(node: ast.AST) -> bool:
    """Whether a number that is no whole one stands in an expression."""
    return any(isinstance(n, ast.Constant) and type(n.value) is float for n in ast.walk(node))


def moved_name(statement: ast.AST) -> str:
    """The name of what a statement brings into another order of axes, "" where it does more."""
    node = getattr(statement, "value", None)
    moved = False
    while isinstance(node, (ast.Call, ast.Attribute)):
        method = node.func if isinstance(node, ast.Call) else node
        if not isinstance(method, ast.Attribute) or method.attr not in {*MOVES, "T", "contiguous"}:
            return ""
        node, moved = method.value, True
    return node.id if moved and isinstance(node, ast.Name) else ""


def passed_on(node: ast.expr) -> ast.expr:
    """What an expression lays out anew: `keys` in `split(keys).transpose(1, 2)`, else itself."""
    while isinstance(node, ast.Call):
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if owner is not None and name_of(owner) not in _NO_TENSORS:
            node = owner
        elif node.args:
            node = node.args[0]
        else:
            break
    return node


def reads_a_size(value: ast.expr) -> bool:
    """Whether an expression is one of a tensor's sizes: `x.shape[-1]`, `x.size(-1)`."""
    read = value.value if isinstance(value, ast.Subscript) else getattr(value, "func", None)
    return isinstance(read, ast.Attribute) and read.attr in {"shape", "size"}


def left_early(loop: ast.AST) -> int | None:
    """The condition on which a loop is left, or goes on to its next round."""
    for node in loop.body if isinstance(loop, (ast.For, ast.While)) else ():
        if isinstance(node, ast.If) and isinstance(node.body[-1], (ast.Break, ast.Continue)):
            return node.test.lineno
    return None


def turns(node: ast.AST) -> bool:
    """Whether a node makes true of false: `== 0`, `~`, `not` or a call for it."""
    if isinstance(node, ast.Compare):
        zero = node.comparators[0]
        return isinstance(node.ops[0], ast.Eq) and isinstance(zero, ast.Constant) and not zero.value
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.Invert, ast.Not))
    return isinstance(node, ast.Attribute) and node.attr in _TURNING


def of_a_library(node: ast.expr | None) -> bool:
    """Whether it is a module's attribute, as `torch.le` is, and nothing that an object holds."""
    return isinstance(node, ast.Attribute) and name_of(node.value) != "self"
