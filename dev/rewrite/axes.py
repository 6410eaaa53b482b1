"""Axes cut, joined and moved in other words: unflatten, flatten, permute, einops' rearrange."""

from __future__ import annotations

import re
from random import Random

import libcst as cst

from .tree import Sites, code, each, imported, operand, plain

__all__ = ["cuts", "joins", "moves", "rearranged"]

_CUTS = ("view", "reshape")
_TURNS = ("transpose", "swapaxes")
_TURNED = (["1", "2"], ["2", "1"])


def _called(node: cst.CSTNode, *names: str) -> tuple[cst.BaseExpression, list[str]] | None:
    """Return what a method is called on and its plain arguments; None for another call."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    if node.func.attr.value not in names or any(one.keyword or one.star for one in node.args):
        return None
    return node.func.value, [code(one.value) for one in node.args]


def _unpacked(module: cst.Module) -> set[tuple[str, str]]:
    """Return the names of a batch and a length, where a shape of three is unpacked into them."""
    rows = (code(one) for one in each(module, cst.Assign))
    found = (
        re.fullmatch(r"\(?(\w+), (\w+), \w+\)? = \w+\.(?:shape|size\(\))", row) for row in rows
    )
    return {(one[1], one[2]) for one in found if one}


def _shapes(module: cst.Module) -> dict[str, list[str]]:
    """Return what names stand for shapes of four, where each is bound once."""
    found: dict[str, list[list[str]]] = {}
    for one in each(module, cst.Assign):
        target = code(one.targets[0].target)
        parts = (
            [code(part.value) for part in one.value.elements]
            if isinstance(one.value, cst.Tuple)
            else []
        )
        found.setdefault(target, []).append(parts)
    return {name: some[0] for name, some in found.items() if len(some) == 1 and len(some[0]) == 4}


def cuts(module: cst.Module, rng: Random) -> cst.Module:
    """Cut the width that a layer gives by unflatten, where a view says batch and length again."""
    pairs = _unpacked(module)
    axis = rng.choice(("-1", "2"))

    def change(node: cst.BaseExpression) -> str | None:
        found = _called(node, *_CUTS)
        if found is None or len(found[1]) != 4 or tuple(found[1][:2]) not in pairs:
            return None
        layer = isinstance(found[0], cst.Call) and re.match(r"self\.\w+\(\w+\)$", code(found[0]))
        return f"{code(found[0])}.unflatten({axis}, ({', '.join(found[1][2:])}))" if layer else None

    return module.visit(Sites(change, followed=False))


def joins(module: cst.Module, rng: Random) -> cst.Module:
    """Join heads by flatten, where a reshape says batch and length again."""
    pairs = _unpacked(module)
    axis = rng.choice(("2", "-2"))

    def change(node: cst.BaseExpression) -> str | None:
        found = _called(node, *_CUTS)
        if found is None or len(found[1]) != 3 or tuple(found[1][:2]) not in pairs:
            return None
        whole = _called(found[0], "contiguous")
        moved = _called(whole[0] if whole else found[0], "transpose")
        if moved is None or moved[1] not in (["1", "2"], ["2", "1"]):
            return None
        return f"{operand(moved[0])}.transpose(1, 2).flatten({axis})"

    return module.visit(Sites(change, followed=False))


def moves(module: cst.Module, rng: Random) -> cst.Module:
    """Exchange heads and positions by permute, or counted from the end, of what has four axes."""
    form = rng.choice(
        ("permute(0, 2, 1, 3)", "transpose(-3, -2)", "transpose(2, 1)", "swapaxes(1, 2)")
    )

    def change(node: cst.BaseExpression) -> str | None:
        found = _called(node, "transpose")
        if found is None or found[1] != ["1", "2"]:
            return None
        cut = _called(found[0], *_CUTS)
        four = (cut is not None and len(cut[1]) == 4) or _called(found[0], "unflatten") is not None
        return f"{code(found[0])}.{form}" if four else None

    return module.visit(Sites(change))


def rearranged(module: cst.Module, rng: Random) -> cst.Module:
    """Cut and move heads in one call of einops' rearrange, and join them in another."""
    pairs, shapes = _unpacked(module), _shapes(module)
    b, t, h, d = rng.choice(("b t h d", "b n h d", "batch length heads width", "B L H D")).split()
    called, line = rng.choice((
        ("rearrange", "from einops import rearrange"), ("einops.rearrange", "import einops"),
    ))  # fmt: skip

    def change(node: cst.BaseExpression) -> str | None:
        moved = _called(node, *_TURNS)
        return cut(moved[0]) if moved is not None and moved[1] in _TURNED else joined(node)

    def cut(node: cst.BaseExpression) -> str | None:
        found = _called(node, *_CUTS)
        sizes = shapes.get(found[1][0], found[1]) if found and found[1] else []
        if found is None or len(sizes) != 4 or sizes[0] not in {one[0] for one in pairs}:
            return None
        size = f"{d}={sizes[3]}" if sizes[2] == "-1" else f"{h}={sizes[2]}"
        return f'{called}({plain(found[0])}, "{b} {t} ({h} {d}) -> {b} {h} {t} {d}", {size})'

    def joined(node: cst.BaseExpression) -> str | None:
        found = _called(node, *_CUTS)
        if found is None or len(found[1]) != 3 or tuple(found[1][:2]) not in pairs:
            return None
        whole = _called(found[0], "contiguous")
        given = whole[0] if whole else found[0]
        moved = _called(given, *_TURNS)
        if moved is not None and moved[1] in _TURNED:
            return f'{called}({plain(moved[0])}, "{b} {h} {t} {d} -> {b} {t} ({h} {d})")'
        if isinstance(given, cst.Name) and "position" in given.value:
            return f'{called}({given.value}, "{b} {t} {h} {d} -> {b} {t} ({h} {d})")'
        return None

    changed = module.visit(Sites(change, followed=False))
    return imported(changed, line) if changed.code != module.code else module
