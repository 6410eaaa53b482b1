"""Ways to get the rest wrong: caches, positions, tiles, drills. Standard library only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .asking import called, constant, is_scale, is_zero, keyword, named, number, receiver
from .source import Operator, Source

__all__ = ["STEPS"]

Texts = Iterator[str]

_CACHES = {"cache", "layer_past", "past_key_value", "past_key_values", "past"}
_OFFSETS = {"past", "offset", "start", "past_len", "t0", "pos", "n"}
_RESCALES = re.compile(r"alpha|correction|fix|shrink")
_ROTATES = re.compile(r"^(_?rot|rope|rotary|apply_rope|apply_rotary|_turn|turn)")
_MAPS = re.compile(r"^(phi|elu|kernel|elu_feature_map|feature_map)$")
_STEPPED = re.compile(r"\b(past|offset|start|pos|t0|lo|n)\b")


def _other_order(source: Source, node: ast.AST) -> Texts:
    """What is new put before what was kept."""
    pair = _joined(node)
    if pair is not None:
        one, other = (source.said(each) for each in pair.elts)
        opened, closed = source.said(pair)[0], source.said(pair)[-1]
        yield source.said(node).replace(source.said(pair), f"{opened}{other}, {one}{closed}", 1)


def _not_joined(source: Source, node: ast.AST) -> Texts:
    pair = _joined(node)
    if pair is not None:
        yield source.said(pair.elts[1])


def _joined(node: ast.AST) -> ast.List | ast.Tuple | None:
    if called(node) in {"cat", "concat"} and isinstance(node, ast.Call) and node.args:
        pair = node.args[0]
        if isinstance(pair, (ast.List, ast.Tuple)) and len(pair.elts) == 2:
            return pair
    return None


def _stale(source: Source, node: ast.AST) -> Texts:
    """The cache handed back as it came."""
    caches = [name for name in source.arguments(node) if name in _CACHES]
    value = node.value if isinstance(node, ast.Return) else None
    if caches and isinstance(value, ast.Tuple) and len(value.elts) == 2:
        said = source.said(node)
        last = source.said(value.elts[1])
        yield said[: said.rindex(last)] + caches[0]


def _restarted(source: Source, node: ast.AST) -> Texts:
    """Positions that begin anew with each chunk."""
    if (
        isinstance(node, ast.Assign)
        and named(node.targets[0]) in _OFFSETS
        and not is_zero(node.value)
    ):
        yield f"{source.said(node.targets[0])} = 0"
    if called(node) == "arange" and isinstance(node, ast.Call) and len(node.args) >= 2:
        first, last = node.args[0], node.args[1]
        if isinstance(last, ast.BinOp) and isinstance(last.op, ast.Add):
            if source.said(last.left) == source.said(first):
                old = f"{source.said(first)}, {source.said(last)}"
                yield source.said(node).replace(old, source.said(last.right), 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if called(node.left) in {"arange", "float"} and _STEPPED.search(source.said(node.right)):
            yield source.said(node.left)


def _shifted(source: Source, node: ast.AST) -> Texts:
    if called(node) == "arange" and isinstance(node, ast.Call) and len(node.args) == 2:
        first, last = (source.said(each) for each in node.args)
        yield source.said(node).replace(f"{first}, {last}", f"{first} + 1, {last} + 1", 1)


def _sign(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if number(node.operand) is None and "inf" not in source.said(node):
            yield source.said(node.operand)


def _turned(source: Source, node: ast.AST) -> Texts:
    """Sums and differences of two products exchanged."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        sides = (node.left, node.right)
        if all(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mult) for each in sides):
            other = "-" if isinstance(node.op, ast.Add) else "+"
            yield f"{source.said(node.left)} {other} {source.said(node.right)}"
    pair = _joined(node)
    if pair is not None and isinstance(pair.elts[0], ast.UnaryOp):
        first = pair.elts[0]
        if isinstance(first.op, ast.USub):
            one, other = source.said(first.operand), source.said(pair.elts[1])
            inner = f"{source.said(pair)[0]}{one}, -{other}{source.said(pair)[-1]}"
            yield source.said(node).replace(source.said(pair), inner, 1)


def _cos_sin(source: Source, node: ast.AST) -> Texts:
    name = named(node)
    if name in {"cos", "sin"} and not isinstance(getattr(node, "ctx", None), ast.Store):
        yield source.said(node)[:-3] + ("sin" if name == "cos" else "cos")


def _unturned(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Call) and _ROTATES.search(called(node)) and len(node.args) >= 2:
        yield source.said(node.args[0])


def _tables(source: Source, node: ast.AST) -> Texts:
    """Each angle twice in a row in the place of all angles twice, and the other way round."""
    pair = _joined(node)
    if pair is not None and source.said(pair.elts[0]) == source.said(pair.elts[1]):
        yield f"{source.said(pair.elts[0])}.repeat_interleave(2, dim=-1)"
    if called(node) == "repeat_interleave" and isinstance(node, ast.Call):
        taken = receiver(node)
        if taken is not None and constant(node.args[-1], 2):
            yield f"torch.cat(({source.said(taken)}, {source.said(taken)}), dim=-1)"
    if called(node) == "repeat" and source.said(node).endswith(".repeat(1, 2)"):
        yield source.said(node).replace(".repeat(1, 2)", ".repeat_interleave(2, dim=1)")


def _frequencies(source: Source, node: ast.AST) -> Texts:
    said = source.said(node)
    if called(node) == "arange" and ", 2" in said:
        head, dim, tail = said.partition(", 2")
        yield f"{head.replace('(0, ', '(')} // 2{tail}" if dim else said
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and "arange" in said:
        yield f"({source.said(node.left)} + 1) / {source.said(node.right)}"
    if isinstance(node, ast.BinOp) and said.startswith("-2 *"):
        yield said.replace("-2 *", "-1 *", 1)
    if isinstance(node, ast.BinOp) and said.startswith("2 * i"):
        yield said.replace("2 * i", "i", 1)
    if named(node) in {"base", "theta"} and isinstance(source.parent(node), ast.BinOp):
        yield "10000.0"


def _not_rescaled(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            inner = source.said(side)
            if _RESCALES.search(inner) or inner.startswith("torch.exp(m"):
                yield source.said(other)
    if called(node) in {"mul_", "mul"} and isinstance(node, ast.Call):
        taken = receiver(node)
        if taken is not None and _RESCALES.search(source.said(node.args[-1])):
            yield source.said(taken)


def _exponent(source: Source, node: ast.AST) -> Texts:
    """A difference of two maxima the wrong way round."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        one, other = source.said(node.left), source.said(node.right)
        if re.fullmatch(r"\w+", one) and re.fullmatch(r"\w+", other):
            yield f"{other} - {one}"


def _undivided(source: Source, node: ast.AST) -> Texts:
    division = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
    if division and not is_scale(node.right):  # type: ignore[attr-defined]
        yield source.said(node.left)  # type: ignore[attr-defined]
    if called(node) == "div_" and (taken := receiver(node)) is not None:
        yield source.said(taken)


def _forgotten(source: Source, node: ast.AST) -> Texts:
    """The new maximum or sum alone, without what came before it."""
    if called(node) in {"maximum", "max"} and isinstance(node, ast.Call) and len(node.args) == 2:
        yield source.said(node.args[1])
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        if not (number(node.right) or is_scale(node.right)):
            yield source.said(node.left)
            if isinstance(node.op, ast.Add):
                yield source.said(node.right)


def _unmapped(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Call) and _MAPS.search(called(node)) and len(node.args) == 1:
        yield source.said(node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and constant(node.right, 1):
        if called(node.left) == "elu":
            yield source.said(node.left)
            yield f"F.relu({source.said(node.left.args[0])})"  # type: ignore[attr-defined]


def _axis(source: Source, node: ast.AST) -> Texts:
    """A new axis in another place, or another letter of an equation."""
    if called(node) == "unsqueeze" and isinstance(node, ast.Call):
        axis, said = node.args[-1] if node.args else keyword(node, "dim"), source.said(node)
        if axis is not None:
            old = source.said(axis)
            head, _, tail = said.rpartition(old)
            for other in {"0": ("1",), "1": ("0", "2"), "-1": ("1", "0"), "2": ("1",)}.get(old, ()):
                yield f"{head}{other}{tail}"
    if isinstance(node, ast.Subscript):
        said = source.said(node)
        for old, other in (
            ("[:, None, None, :]", "[:, None, :, None]"), ("[:, None]", "[None, :]"),
            ("[None, :]", "[:, None]"), ("[None, :, None, None]", "[None, None, :, None]"),
            ("[:, head_idx]", "[:, :, head_idx]"), ("[:, head]", "[:, :, head]"),
        ):  # fmt: skip
            if said.endswith(old):
                yield said[: -len(old)] + other
    if called(node) == "view" and source.said(node).endswith("(1, -1, 1, 1)"):
        yield source.said(node).replace("(1, -1, 1, 1)", "(1, 1, -1, 1)")


def _letters(_: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "->" in node.value:
        takes, gives = node.value.split("->", 1)
        if len(gives) == 4 and gives.isalpha():
            a, b, c, d = gives
            yield f'"{takes}->{a}{c}{b}{d}"'
            yield f'"{takes}->{a}{b}{d}{c}"'
        first, second = takes.split(",", 1) if "," in takes else (takes, "")
        shared = [letter for letter in first if letter in second and letter not in gives]
        if shared:
            yield f'"{first},{second.replace(shared[0], "z")}->{gives}"'


def _averaged(source: Source, node: ast.AST) -> Texts:
    if called(node) == "sum":
        head, _, tail = source.said(node).rpartition("sum(")
        yield f"{head}mean({tail}"


def _difference(source: Source, node: ast.AST) -> Texts:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        if not number(node.right):
            yield f"{source.said(node.right)} - {source.said(node.left)}"
            yield f"({source.said(node)}).abs()"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if "slope" in source.said(node):
            yield f"{source.said(node.left)} * {source.said(node.right)}"


def _expanded(source: Source, node: ast.AST) -> Texts:
    said = source.said(node)
    if said.endswith((".clone()", ".contiguous()")) and "share_keys" in said:
        yield said.rpartition(".")[0]
    if called(node) == "repeat" and said.endswith(".repeat(1, heads, 1, 1)"):
        yield said.replace(".repeat(1, heads, 1, 1)", ".expand(-1, heads, -1, -1)")


def _operator(name: str, texts: object, *mistakes: str) -> Operator:
    return Operator(name, frozenset(mistakes), texts)  # type: ignore[arg-type]


STEPS = (
    _operator("other-order", _other_order, "cache-wrong-order", "prefix-behind"),
    _operator("not-joined", _not_joined, "cache-not-read", "cache-keys-only", "cache-part-missing"),
    _operator("stale", _stale, "cache-stale"),
    _operator(
        "restarted", _restarted, "rope-positions-restart", "causal-from-start",
        "causal-missing-in-chunks",
    ),
    _operator("shifted", _shifted, "rope-positions-shifted"),
    _operator(
        "sign", _sign, "rope-sign-missing", "rope-turned-backwards", "alibi-sign",
        "gradient-negated", "rope-wrong-frequencies",
    ),
    _operator("turned", _turned, "rope-turned-backwards", "rope-sign-missing"),
    _operator("cos-sin", _cos_sin, "rope-cos-sin-swapped"),
    _operator("unturned", _unturned, "rope-missing", "rope-not-on-keys", "rope-not-on-queries"),
    _operator("tables", _tables, "rope-tables-misaligned"),
    _operator("frequencies", _frequencies, "rope-wrong-frequencies", "rope-base-ignored"),
    _operator("not-rescaled", _not_rescaled, "output-not-rescaled", "sum-not-rescaled"),
    _operator("exponent", _exponent, "rescale-inverted"),
    _operator("undivided", _undivided, "sum-not-divided", "linear-normaliser-missing"),
    _operator(
        "forgotten", _forgotten, "max-not-carried", "row-sum-missing", "alibi-missing",
        "max-not-added-back", "linear-state-not-kept", "empty-row-not-zero",
    ),
    _operator(
        "unmapped", _unmapped, "linear-feature-map-missing", "linear-feature-map-other",
    ),
    _operator(
        "axis", _axis, "unsqueeze-wrong-axis", "mask-wrong-axes", "slopes-wrong-axis",
        "written-on-wrong-axis", "mask-transposed",
    ),
    _operator("letters", _letters, "axes-wrong-order", "einsum-letter-not-shared"),
    _operator("averaged", _averaged, "averaged-not-summed"),
    _operator(
        "difference", _difference, "distance-turned", "distance-unsigned", "slopes-multiplied",
        "alibi-distance-inverted", "alibi-multiplied", "alibi-sign",
    ),
    _operator("expanded", _expanded, "expand-written"),
)  # fmt: skip
