"""The same operator in another spelling: products, softmax, transposes, views, masks, scales."""

from __future__ import annotations

import re
from random import Random

import libcst as cst

from .families import LOCALS, meaning
from .tree import Imports, Sites, arguments, code, identifiers, operand, plain

__all__ = [
    "fills", "products", "roots", "scale_place", "sliced", "softmaxes", "transposes", "views",
]  # fmt: skip

_LAST_TWO = ({"-1", "-2"}, {"-2", "-1"})
_NUMBER_LIKE = re.compile(
    r"(?:self\.)?\w*(?:dim|size|width|d_k|dk|d_head|hd|depth)\w*|\w+\.size\(-1\)|\w+\.shape\[-1\]"
)
_MINUS_INF = {'float("-inf")', "float('-inf')", "-math.inf", "-torch.inf"}
_SCALAR = re.compile(
    r"""-?[\d.]+(?:e[+-]?\d+)?|float\(['"]-inf['"]\)|-?(?:math|torch)\.inf|torch\.finfo\([\w.]+\)\.min"""
)


def _method(node: cst.BaseExpression, name: str) -> tuple[cst.BaseExpression, cst.Call] | None:
    """Return what a method is called on, and the call; None for another call, one's own too."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if code(node.func.value) in {"self", "cls", "super()"}:
            return None
        return (node.func.value, node) if node.func.attr.value == name else None
    return None


def _torch(node: cst.BaseExpression, imports: Imports, *names: str) -> cst.Call | None:
    """Return a call of one of torch's functions, by full name; None for another call."""
    if isinstance(node, cst.Call) and imports.whole(node.func) in names:
        return node
    return None


def _given(
    node: cst.BaseExpression, imports: Imports, name: str, *rest: str, functions: tuple[str, ...]
) -> dict[str, cst.BaseExpression] | None:
    """Return the arguments of `x.name(…)` or of torch's function: `input`, and the rest."""
    call = _torch(node, imports, *functions)
    if call is not None:
        given = arguments(call, "input", *rest)
    else:
        found = _method(node, name)
        if found is None or imports.whole(found[0]) is not None:
            return None
        given = arguments(found[1], *rest)
        given = {"input": found[0], **given} if given is not None else None
    return given if given is not None and len(given) == 1 + len(rest) else None


def _multiplied(
    node: cst.BaseExpression, imports: Imports
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Return the two factors of a matrix product, in any spelling; None where a node is none."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.MatrixMultiply):
        return node.left, node.right
    given = _given(node, imports, "matmul", "other", functions=("torch.matmul", "torch.bmm"))
    return (given["input"], given["other"]) if given is not None else None


def products(module: cst.Module, rng: Random) -> cst.Module:
    """Write every matrix product with `@`, torch.matmul, a method, or as an einsum."""
    imports = Imports(module)
    torch = imports.called("torch")
    forms = [
        "{a} @ {b}",
        "{a}.matmul({c})",
        *([f"{torch}.matmul({{p}}, {{c}})"] * 2 if torch else []),
    ]
    form = rng.choice(forms)
    einsum = torch if torch and rng.random() < 0.4 else None

    def change(node: cst.BaseExpression) -> str | None:
        factors = _multiplied(node, imports)
        if factors is None:
            return None
        left, right = factors
        turned = _turned(right, imports)
        if einsum and turned is not None:
            equation = "...qd,...kd->...qk"
            return f'{einsum}.einsum("{equation}", {plain(left)}, {plain(turned)})'
        if einsum and meaning(code(left), LOCALS) in {"weights", "dropped"}:
            return f'{einsum}.einsum("...qk,...kd->...qd", {plain(left)}, {plain(right)})'
        return form.format(a=operand(left), b=operand(right), p=plain(left), c=plain(right))

    return module.visit(Sites(change))


def sliced(module: cst.Module, rng: Random) -> cst.Module:
    """Multiply a sample or a head after the other: in a loop, by an index, or under vmap."""
    imports = Imports(module)
    torch = imports.called("torch")
    if torch is None:
        return module
    one, other, i = rng.choice((("one", "other", "i"), ("left", "right", "head"), ("m", "n", "j")))
    if identifiers(module) & {one, other, i}:
        return module
    by_sample = [
        f"{torch}.stack([{one} @ {other} for {one}, {other} in zip({{p}}, {{c}})])",
        f"{torch}.vmap(lambda {one}, {other}: {one} @ {other})({{p}}, {{c}})",
    ]
    by_head = [
        f"{torch}.stack([{{a}}[:, {i}] @ {{b}}[:, {i}] for {i} in range({{a}}.shape[1])], 1)",
        f"{torch}.vmap({torch}.matmul, in_dims=1, out_dims=1)({{p}}, {{c}})",
    ]
    form = rng.choice([*by_sample, *(by_head if "heads" in module.code else ())])

    def change(node: cst.BaseExpression) -> str | None:
        factors = _multiplied(node, imports)
        if factors is None:
            return None
        left, right = factors
        weights = meaning(code(left), LOCALS) in {"weights", "dropped"}
        if not weights and _turned(right, imports) is None:
            return None
        return form.format(a=operand(left), b=operand(right), p=plain(left), c=plain(right))

    return module.visit(Sites(change))


def _turned(node: cst.BaseExpression, imports: Imports) -> cst.BaseExpression | None:
    """Return what has its last two axes exchanged; None where a node is nothing of the kind."""
    if isinstance(node, cst.Attribute) and node.attr.value == "mT":
        return node.value
    for name in ("transpose", "swapaxes", "swapdims"):
        given = _given(node, imports, name, "dim0", "dim1", functions=(f"torch.{name}",))
        if given and {code(given["dim0"]), code(given["dim1"])} in _LAST_TWO:
            return given["input"]
    return None


def transposes(module: cst.Module, rng: Random) -> cst.Module:
    """Exchange the last two axes by `.mT`, transpose or swapaxes."""
    imports = Imports(module)
    torch = imports.called("torch")
    forms = ["{a}.mT", "{a}.transpose(-2, -1)", "{a}.transpose(-1, -2)", "{a}.swapaxes(-2, -1)"]
    forms += [f"{torch}.transpose({{p}}, -2, -1)"] if torch else []
    form = rng.choice(forms)

    def change(node: cst.BaseExpression) -> str | None:
        turned = _turned(node, imports)
        return form.format(a=operand(turned), p=plain(turned)) if turned else None

    return module.visit(Sites(change))


def views(module: cst.Module, rng: Random) -> cst.Module:
    """Write views as reshapes, and reshapes as views of what is made contiguous.

    A view on a followed line stays: that it raises may be the mistake there.
    """
    imports = Imports(module)
    to_view = rng.random() < 0.5

    def change(node: cst.BaseExpression) -> str | None:
        found = _method(node, "reshape" if to_view else "view")
        if found is None or imports.whole(found[0]) is not None:
            return None
        receiver, call = found
        if to_view:
            return f"{operand(receiver)}.contiguous().view({_inside(call)})"
        if len(call.args) == 1 and "dtype" in code(call.args[0]):
            return None
        whole = _method(receiver, "contiguous")
        return f"{operand(whole[0] if whole else receiver)}.reshape({_inside(call)})"

    return module.visit(Sites(change, followed=False))


def _inside(call: cst.Call) -> str:
    """Return the text between a call's brackets."""
    return code(call)[len(code(call.func)) :].strip()[1:-1].strip()


def softmaxes(module: cst.Module, rng: Random) -> cst.Module:
    """Write softmax as torch's function, nn.functional's, a method or a layer."""
    imports = Imports(module)
    torch, layers = imports.called("torch"), imports.called("torch.nn")
    functional = imports.called("torch.nn.functional")
    forms = ["{a}.softmax(dim={d})", "{a}.softmax({d})"]
    forms += (
        [f"{torch}.softmax({{p}}, dim={{d}})", f"{torch}.softmax({{p}}, {{d}})"] if torch else []
    )
    forms += [f"{functional}.softmax({{p}}, dim={{d}})"] * 2 if functional else []
    forms += [f"{layers}.Softmax(dim={{d}})({{p}})"] if layers else []
    form = rng.choice(forms)

    def change(node: cst.BaseExpression) -> str | None:
        functions = ("torch.softmax", "torch.nn.functional.softmax")
        given = _given(node, imports, "softmax", "dim", functions=functions)
        if given is None and isinstance(node, cst.Call):
            layer = _torch(node.func, imports, "torch.nn.Softmax")
            dim, of = arguments(layer, "dim") if layer else None, arguments(node, "input")
            given = {**dim, **of} if dim and of else None
        if given is None:
            return None
        return form.format(a=operand(given["input"]), p=plain(given["input"]), d=code(given["dim"]))

    return module.visit(Sites(change))


def fills(module: cst.Module, rng: Random) -> cst.Module:
    """Write masked_fill as a method, as a function or as torch.where, in either order."""
    imports = Imports(module)
    torch = imports.called("torch")
    forms = ["{a}.masked_fill({c}, {v})"]
    if torch:
        forms += [
            f"{torch}.masked_fill({{p}}, {{c}}, {{v}})",
            f"{torch}.where({{c}}, {{v}}, {{p}})",
        ]
        forms += [f"{torch}.where(~{{b}}, {{p}}, {{v}})"]
    form = rng.choice(forms)
    added = torch is not None and rng.random() < 0.25
    nothing = rng.choice(["{p} == 0", "{p} == 0", "~{a}.bool()", "{a}.logical_not()", "{a}.eq(0)"])

    def condition(node: cst.BaseExpression) -> str:
        zero = re.fullmatch(r"(\w+) == 0", plain(node))
        return nothing.format(p=zero[1], a=zero[1]) if zero else plain(node)

    def change(node: cst.BaseExpression) -> str | None:
        functions = ("torch.masked_fill",)
        given = _given(node, imports, "masked_fill", "mask", "value", functions=functions)
        call = _torch(node, imports, "torch.where")
        if call is not None:
            parts = arguments(call, "condition", "input", "other")
            given = _kept_where(parts) if parts and len(parts) == 3 else None
        if given is None:
            return None
        blocked = condition(given["mask"])
        of, value = given["input"], plain(given["value"])
        if added and value in _MINUS_INF:
            return (
                f"{operand(of)} + {torch}.zeros_like({plain(of)}).masked_fill({blocked}, {value})"
            )
        bracketed = blocked if re.fullmatch(r"[\w.]+(?:\(\w*\))?", blocked) else f"({blocked})"
        return form.format(a=operand(of), p=plain(of), c=blocked, b=bracketed, v=value)

    return module.visit(Sites(change))


def _kept_where(given: dict[str, cst.BaseExpression]) -> dict[str, cst.BaseExpression] | None:
    """Return the arguments of the masked_fill that torch.where is."""
    kept, other = given["input"], given["other"]
    if _SCALAR.fullmatch(plain(kept)):
        return {"input": other, "mask": given["condition"], "value": kept}
    if _SCALAR.fullmatch(plain(other)):
        turned = cst.parse_expression(f"~{operand(given['condition'])}")
        return {"input": kept, "mask": turned, "value": other}
    return None


def roots(module: cst.Module, rng: Random) -> cst.Module:
    """Divide by a root, or multiply by a power: math.sqrt(d), d ** 0.5, d ** -0.5."""
    imports = Imports(module)
    sqrt = imports.called("math.sqrt")
    over = ["{e} / {a} ** 0.5", "{e} * {a} ** -0.5", "{e} * ({a} ** -0.5)"]
    over += [f"{{e}} / {sqrt}({{p}})", f"{{e}} * (1.0 / {sqrt}({{p}}))"] if sqrt else []
    form = rng.choice(over)
    powers = ["{a} ** -0.5"]
    powers += [f"1.0 / {sqrt}({{p}})", f"1 / {sqrt}({{p}})"] if sqrt else []
    alone = rng.choice(powers)

    def change(node: cst.BaseExpression) -> str | None:
        if not isinstance(node, cst.BinaryOperation):
            return None
        width = None
        if isinstance(node.operator, cst.Divide):
            width = _rooted(node.right, imports)
        elif isinstance(node.operator, cst.Multiply):
            width = _rooted(node.right, imports, inverse=True)
        if width is not None and code(node.left) not in {"1", "1.0"}:
            return form.format(e=_factor(node.left), a=operand(width), p=plain(width))
        width = width or _rooted(node, imports, inverse=True)
        return alone.format(a=operand(width), p=plain(width)) if width else None

    return module.visit(_Outermost(change))


class _Outermost(Sites):
    """As Sites, but `x * d ** -0.5` is changed as a whole and not twice."""

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> bool:
        return not isinstance(node.operator, (cst.Divide, cst.Multiply)) or not (
            isinstance(node.right, (cst.BinaryOperation, cst.Call))
            and re.search(r"sqrt|\*\*", code(node.right))
            and code(node.left) not in {"1", "1.0"}
        )


def _factor(node: cst.BaseExpression) -> str:
    """Return a node's text as the left factor of a product or a quotient."""
    same = isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator, (cst.MatrixMultiply, cst.Multiply, cst.Divide)
    )
    return code(node) if same else operand(node)


def _rooted(
    node: cst.BaseExpression, imports: Imports, *, inverse: bool = False
) -> cst.BaseExpression | None:
    """Return d where a node is √d, or 1/√d: a number, not a tensor."""
    if isinstance(node, cst.Call) and not inverse and imports.whole(node.func) == "math.sqrt":
        given = arguments(node, "x")
        return given["x"] if given and len(given) == 1 else None
    if not isinstance(node, cst.BinaryOperation):
        return None
    if isinstance(node.operator, cst.Divide) and inverse and code(node.left) in {"1", "1.0"}:
        return _rooted(node.right, imports)
    if isinstance(node.operator, cst.Power):
        powers = {"-0.5"} if inverse else {"0.5", "(1 / 2)", "(1/2)", ".5"}
        fits = code(node.right) in powers and _NUMBER_LIKE.fullmatch(plain(node.left))
        return node.left if fits else None
    return None


def scale_place(module: cst.Module, rng: Random) -> cst.Module:
    """Scale the left factor of a product in the place of the product: (q @ k) / s, (q / s) @ k."""

    def change(node: cst.BaseExpression) -> str | None:
        if not isinstance(node, cst.BinaryOperation):
            return None
        if not isinstance(node.operator, (cst.Divide, cst.Multiply)):
            return None
        product = node.left
        if not isinstance(product, cst.BinaryOperation):
            return None
        if not isinstance(product.operator, cst.MatrixMultiply) or not _is_number(node.right):
            return None
        sign = code(node.operator).strip()
        scaled = f"({_factor(product.left)} {sign} {operand(node.right)})"
        return f"{scaled} @ {operand(product.right)}"

    return module.visit(Sites(change))


def _is_number(node: cst.BaseExpression) -> bool:
    """Whether a factor is a number by its looks."""
    text = plain(node)
    return bool(
        re.match(r"math\.sqrt\(|(?:self\.)?\w*(?:scale|root)\w*$", text)
        or re.search(r"\*\* -?0?\.5$", text)
    )
