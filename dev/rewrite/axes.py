"""Axes cut, joined and moved in other words: view and unflatten, reshape and flatten, permute."""

from __future__ import annotations

import re
from random import Random

import libcst as cst

from .tree import Sites, code, each, operand

__all__ = ["cuts", "joins", "moves"]

_CUTS = ("view", "reshape")


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
