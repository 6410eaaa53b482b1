"""What a slip of the pen may have made of an expression by itself: how it may be right instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..expressions import called, name_of
from .letters import respelt
from .names import MODULES
from .said import CLOSED, Said

__all__ = ["COUNTED", "TRIANGLES", "Rewritten", "rewritten"]

# How an expression may be right, with what that costs.
Rewritten = Iterator[tuple[str, int]]

_COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">", ">="), ast.LtE: ("<", ">=", ">"), ast.Gt: (">=", "<", "<="),
    ast.GtE: (">", "<=", "<"), ast.Eq: ("!=",), ast.NotEq: ("==",),
    ast.Is: ("is not",), ast.IsNot: ("is",), ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",), ast.Sub: ("+",), ast.Mult: ("/",), ast.Div: ("*", "//"),
    ast.FloorDiv: ("%", "/"), ast.Mod: ("//",), ast.BitAnd: ("|",), ast.BitOr: ("&",),
}  # fmt: skip
_WRITTEN: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
}  # fmt: skip
_SIGNS = {
    **_WRITTEN, ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip
# Those whose sides may change places.
_EITHER = {"+", "*"}
# Calls that are mistaken for each other.
_PAIRS = (
    ("sum", "cumsum"), ("repeat", "repeat_interleave"), ("tril", "triu"), ("min", "max"),
    ("argmin", "argmax"), ("any", "all"), ("sin", "cos"), ("minimum", "maximum"),
    ("logical_and", "logical_or"), ("amin", "amax"), ("floor", "ceil"), ("sqrt", "rsqrt"),
    ("exp", "exp2"), ("log", "log2"), ("chunk", "tensor_split"),
)  # fmt: skip
# What rounds to the nearest was meant to round down more often than the other way.
_OTHER = {
    **{one: (other,) for one, other in _PAIRS}, **{other: (one,) for one, other in _PAIRS},
    "round": ("int",), "sum": ("cumsum", "mean"), "mean": ("sum",),
}  # fmt: skip
# Calls that take the opposite.
_TURNING = {"logical_not", "bitwise_not", "neg", "negative"}
# Calls that count from one number to another.
COUNTED = {"arange", "range"}
# Calls that take an axis away, and may keep it.
_REDUCING = {"sum", "mean", "amax", "amin", "logsumexp", "var", "std", "norm", "prod"}
# Calls that spread, of a sample or of all, and what tells which.
_SPREADING = {"var", "std"}
_CORRECTED = {"correction", "unbiased"}
# Calls that keep a triangle.
TRIANGLES = {"tril", "triu"}
# Calls that look for places, from the left or from the right.
_SEARCHING = {"searchsorted", "bucketize"}
# Calls that give the same entries another shape.
_RESHAPING = {"view", "reshape", "unflatten", "flatten"}
# Calls that take no more than the size of what they are given, or sizes and nothing else.
_MAKING = {
    "ones_like", "zeros_like", "full_like", "empty_like", "rand_like", "len", "ones", "zeros",
    "full", "empty", "rand", "randn", "arange", "range", "eye", "tensor",
}  # fmt: skip
# What a call is told that has no usual value, or is the same without.
_NEEDED = {"dim", "axis", "dtype", "device", "size", "dims", "num_classes"}
# Calls that leave the numbers as they are.
_HARMLESS = {"to", "contiguous"}


def rewritten(node: ast.expr, said: Said) -> Rewritten:
    """How an expression may be right, but for other names in it."""
    match node:
        case ast.Constant(value=bool()):
            yield str(not node.value), 1
        case ast.Constant(value=int() as value):
            yield from ((_number(n), 1) for n in {value + 1, value - 1, -value, 0} - {value})
        case ast.Constant(value=float() as value):
            yield from ((_number(n), 1) for n in (2 * value, value / 2, -value))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            yield from ((_number(n), 1) for n in (1 - value, -1 - value, value))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float() as value)):
            yield from ((_number(n), 1) for n in (value, -2 * value, -value / 2))
        case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not()):
            yield said.of(node.operand), 1
        case ast.Compare(ops=[operator], comparators=[right]):
            left, other = _side(node.left, said), _side(right, said)
            yield from ((f"{left} {n} {other}", 1) for n in _COMPARED.get(type(operator), ()))
        case ast.BinOp():
            yield from _operated(node, said)
            yield from _grouped(node, said)
            yield from _taken_in(node, said)
        case ast.BoolOp():
            yield from _joined(node, said)
        case ast.IfExp(test=test, body=body, orelse=other):
            one, two = said.of(body), said.of(other)
            yield f"({two} if {said.of(test, ast.Compare)} else {one})", 2
            yield from ((one, 3), (two, 3))
        case ast.Slice(lower=lower, upper=upper, step=None):
            yield from _cut(lower, upper, said)
        case ast.Call():
            yield from _called(node, said)
            yield from respelt(node, said)
            yield from _brought_out(node, said)
            yield from _in_turn(node, said)
            yield from _outside_in(node, said)
            yield from _laid_out(node, said)
            yield from _told_more(node, said)
            yield from _told_less(node, said)
            yield from _turned(node, said)
        case ast.Attribute(attr="T", value=value):
            yield f"{said.of(value)}.mT", 1
        case ast.Tuple(elts=[first, second]) if isinstance(node.ctx, ast.Load):
            yield from _sign_moved(first, second, said)
        case _:
            return


def _number(number: float) -> str:
    """A number, which may be the base of a power."""
    return f"({number!r})" if number < 0 else repr(number)


def _side(node: ast.expr, said: Said) -> str:
    """One side of a comparison: what calculates is done before it, and what denies behind it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return said.of(node)
    return said.of(node, ast.BinOp, ast.UnaryOp)


def _operated(node: ast.BinOp, said: Said) -> Rewritten:
    left, right = said.of(node.left), said.of(node.right)
    if isinstance(node.op, ast.FloorDiv):
        yield f"-(-{left} // {right})", 1
    if isinstance(node.op, ast.Mod):
        # What is left of a whole number of pieces is a piece.
        yield f"(({left} - 1) % {right} + 1)", 2
    yield from ((f"({left} {other} {right})", 1) for other in _OPERATORS.get(type(node.op), ()))
    if isinstance(node.op, ast.Sub):
        yield f"({right} - {left})", 1
    listed = ast.Tuple, ast.List
    if isinstance(node.op, ast.Add) and any(isinstance(n, listed) for n in (node.left, node.right)):
        yield f"{said.of(node.right, *listed)} + {said.of(node.left, *listed)}", 1
    if isinstance(node.op, ast.MatMult):
        yield f"{left} @ {right}.mT", 2
    else:
        yield left, 1 if isinstance(node.right, ast.Constant) else 3
        yield right, 1 if isinstance(node.left, ast.Constant) else 3


def _grouped(node: ast.BinOp, said: Said) -> Rewritten:
    """What is done first of two signs done last: `a / (b * c)` for `a / b * c`, and back."""
    sign, left, right = _SIGNS.get(type(node.op)), node.left, node.right
    if isinstance(left, ast.BinOp) and isinstance(right, ast.BinOp):
        return
    if sign and isinstance(left, ast.BinOp) and (first := _SIGNS.get(type(left.op))):
        one, two, three = said.of(left.left), said.of(left.right), said.of(right)
        yield f"({one} {first} ({two} {sign} {three}))", 1
    if sign and isinstance(right, ast.BinOp) and (last := _SIGNS.get(type(right.op))):
        one, two, three = said.of(left), said.of(right.left), said.of(right.right)
        yield f"(({one} {sign} {two}) {last} {three})", 1


def _joined(node: ast.BoolOp, said: Said) -> Rewritten:
    """Either for both, or one condition alone."""
    sign = " or " if isinstance(node.op, ast.And) else " and "
    parts = [said.of(one, ast.Compare) for one in node.values]
    yield f"({sign.join(parts)})", 1
    yield from ((one, 2) for one in parts)


def _taken_in(node: ast.BinOp, said: Said) -> Rewritten:
    """What is done to what a call gives, done to what it is given: `sqrt(x) + eps`."""
    sign = _WRITTEN.get(type(node.op))
    many = ((node.left, node.right), (node.right, node.left)) if sign else ()
    for call, other in many:
        given = _given(call)
        if given is not None and (call is node.left or sign in _EITHER):
            yield _with(call, given, f"{said.of(given)} {sign} {said.of(other)}", said), 2


def _brought_out(node: ast.Call, said: Said) -> Rewritten:
    """What is done to what a call is given, done to what it gives: `sqrt(x + eps)`."""
    given = _given(node)
    sign = _WRITTEN.get(type(given.op)) if isinstance(given, ast.BinOp) else None
    if isinstance(given, ast.BinOp) and sign is not None:
        left, right = given.left, given.right
        yield f"({_with(node, given, said.bare(left), said)} {sign} {said.of(right)})", 2
        if sign in _EITHER:
            yield f"({said.of(left)} {sign} {_with(node, given, said.bare(right), said)})", 2


def _in_turn(node: ast.Call, said: Said) -> Rewritten:
    """Two calls, one of what the other gives, in the other order."""
    inner = _given(node)
    given = _given(inner)
    if (
        isinstance(inner, ast.Call)
        and given is not None
        and not any(one in _MAKING or one[:1].isupper() for one in map(called, (node, inner)))
    ):
        first = _with(node, inner, said.bare(given), said)
        yield _with(inner, given, first, said), 2


def _outside_in(node: ast.Call, said: Said) -> Rewritten:
    """What is put around what a call is given last, around the call: `f(a, g(b))` for `g(f(a, b))`.

    Layers are put into each other so.
    """
    match node.args:
        case [_, *_, ast.Call(args=[given], keywords=[]) as inner] if not node.keywords:
            whole = said.replaced(node, [(inner, said.bare(given))])
            yield f"{said.bare(inner.func)}({whole})", 2
        case _:
            return


def _given(call: ast.AST | None) -> ast.expr | None:
    """What a call works on: its object, or its first argument where a module's or a name's."""
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Attribute) and not _of_module(call.func):
        return call.func.value
    first = call.args[0] if call.args else None
    return None if isinstance(first, ast.Starred | ast.Constant | ast.GeneratorExp) else first


def _of_module(function: ast.Attribute) -> bool:
    """Whether a function is a module's, or the object's own: `torch.nn.functional.softmax`."""
    root = function.value
    while isinstance(root, ast.Attribute) and root.attr in MODULES:
        root = root.value
    return isinstance(root, ast.Name) and root.id in MODULES


def _with(call: ast.expr, given: ast.expr, new: str, said: Said) -> str:
    """A call with something else in place of what it works on."""
    (start, end), (first, last) = said.span(call), said.span(given)
    before, behind = said.text[start:first], said.text[last:end]
    if before.endswith("(") and behind.startswith(")."):
        # An object that is calculated stands in parentheses of its own.
        before, behind = before[:-1], behind[1:]
    if behind.lstrip(" \\\n").startswith(".") and not isinstance(
        ast.parse(f"({new})", mode="eval").body, CLOSED
    ):
        new = f"({new})"
    return before + new + behind


def _cut(lower: ast.expr | None, upper: ast.expr | None, said: Said) -> Rewritten:
    """The other end of what has one, or as far from it."""
    if lower is not None and upper is not None:
        return
    end = lower or upper
    if end is None:
        return
    if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Sub) and upper is not None:
        yield f"{said.bare(end.right)}:{said.bare(end.left)}", 2
    signed = isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub)
    far = said.of(end.operand if isinstance(end, ast.UnaryOp) and signed else end)
    mine = ("-" if signed else "", lower is not None)
    for sign in ("", "-"):
        for begins in (True, False):
            if (sign, begins) != mine:
                yield (f"{sign}{far}:" if begins else f":{sign}{far}"), 1


def _called(node: ast.Call, said: Said) -> Rewritten:
    name = name_of(node.func)
    start, end = said.span(node)
    behind = said.span(node.func)[1]
    for other in _OTHER.get(name, ()):
        yield said.text[start : behind - len(name)] + other + said.text[behind:end], 1
    if name in COUNTED and len(node.args) == 1:
        (until,) = node.args
        if isinstance(until, ast.BinOp) and isinstance(until.op, ast.Sub):
            ends = f"{said.bare(until.right)}, {said.bare(until.left)}"
            yield said.replaced(node, [(until, ends)]), 2
    if not isinstance(node.func, ast.Attribute):
        return
    given = _given(node)
    if _of_module(node.func):
        if given is not None and not (name[:1].isupper() or name in _MAKING):
            yield said.of(given), 3
        return
    if name in {"max", "min"} and not (node.args or node.keywords):
        yield f"{said.of(node.func.value)}.a{name}(-1, keepdim=True)", 1
    if name not in _HARMLESS:
        yield said.of(node.func.value), 1 if name in _TURNING else 2


def _laid_out(node: ast.Call, said: Said) -> Rewritten:
    """All in turn, again and again, for each again and again beside itself; and back."""
    name, given = name_of(node.func), _given(node)
    if given is None:
        return
    whole = said.of(given)
    if name in {"cat", "concat", "concatenate"} and isinstance(given, (ast.Tuple, ast.List)):
        same = {ast.dump(one) for one in given.elts}
        if len(same) == 1 < len(given.elts):
            one = said.of(given.elts[0])
            yield f"{one}.repeat_interleave({len(given.elts)}, -1)", 1
    elif name == "repeat":
        times = [one for one in node.args if not _is(one, 1)]
        if len(times) == 1 and len(node.args) > 1:
            axis = node.args.index(times[0]) - len(node.args)
            yield f"{whole}.repeat_interleave({said.bare(times[0])}, {axis})", 1
    elif name == "repeat_interleave" and len(node.args) + len(node.keywords) == 2:
        times, axis = [*node.args, *(one.value for one in node.keywords)][-2:]
        if said.bare(axis) == "-1" and _is(times, 2):
            yield f"{whole}.repeat(*[1] * ({whole}.dim() - 1), 2)", 1


def _told_more(node: ast.Call, said: Said) -> Rewritten:
    """What a call is not told: to keep the axis, to look from the right, to take one axis away."""
    name, told = name_of(node.func), {one.arg for one in node.keywords}
    many = len(node.args) + len(node.keywords)
    of = isinstance(node.func, ast.Attribute) and not _of_module(node.func)
    given = said.bare(node)[:-1].rstrip(", \n")
    if name in _SPREADING and not told & _CORRECTED:
        yield f"{given}{', ' if many else ''}correction=0)", 1
    if name in _REDUCING and many > (not of) and "keepdim" not in told:
        yield f"{given}, keepdim=True)", 2
    elif name in _SEARCHING and not told & {"right", "side"}:
        yield f"{given}, right=True)", 1
    elif name in TRIANGLES and many == (not of):
        yield from ((f"{given}{'' if of else ', '}{n})", 2) for n in (1, -1))
    elif name == "squeeze" and many == (not of):
        yield f"{given}{'' if of else ', '}-1)", 1


def _told_less(node: ast.Call, said: Said) -> Rewritten:
    """What a call is told by its name, and need not be. What is left stays on its rows."""
    many = [*node.args, *node.keywords]
    start, end = said.span(node)
    for place, one in enumerate(node.keywords, len(node.args)):
        if one.arg is None or one.arg in _NEEDED or len(many) < 2:
            continue
        first, last = said.span(one)
        behind = said.text[last:end]
        comma = re.match(r"\s*, *", behind)
        if comma is None:
            first = said.span(many[place - 1])[1]
        before, behind = said.text[start:first], behind[comma.end() if comma else 0 :]
        yield before + "\n" * (said.text.count("\n", first, last)) + behind, 2


def _turned(node: ast.Call, said: Said) -> Rewritten:
    """What is given another shape, and ought to have its axes in another order first, or only."""
    given = _given(node)
    if name_of(node.func) in _RESHAPING and given is not None:
        yield f"{said.of(given)}.mT", 2
        yield from ((_with(node, given, f"{said.of(given)}.{turn}", said), 2)
                    for turn in ("mT", "transpose(1, 2)"))  # fmt: skip


def _is(node: ast.expr, number: int) -> bool:
    return isinstance(node, ast.Constant) and node.value == number


def _sign_moved(first: ast.expr, second: ast.expr, said: Said) -> Rewritten:
    match first, second:
        case _, ast.UnaryOp(operand=ast.Constant()):
            return
        case ast.UnaryOp(op=ast.USub(), operand=operand), _:
            yield f"({said.of(operand)}, -{said.of(second)})", -1
        case _, ast.UnaryOp(op=ast.USub(), operand=operand):
            yield f"(-{said.of(first)}, {said.of(operand)})", -1
        case _:
            return
