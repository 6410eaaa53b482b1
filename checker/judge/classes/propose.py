"""Roles by name and shape, for code that derivatives cannot read.

Wrong code may be no attention at all, so its weights cannot be found by what they do.
Then names propose, and what nothing names goes by order: query, key, value, output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import Tensor

from ...vocabulary import layer_role, words
from .plan import Size
from .truth import Roles, numel

__all__ = ["proposals"]

_ORDER = ("q", "k", "v", "o")
_FUSED_WORDS = {"qkv": "qkv", "kqv": "kqv", "kv": "kv", "kvq": "kvq", "qk": "qk", "vk": "vk"}


def proposals(
    shapes: dict[str, tuple[int, ...]],
    size: Size,
    *,
    partial: bool = False,
    linear: frozenset[str] = frozenset(),
) -> Iterator[Roles]:
    """Yield assignments of the parameters to roles, the likeliest first.

    partial: also where some role has no parameter, as in code that does not project.
    linear: weights of `nn.Linear` layers, whose rows are known to be features.
    """
    places = _places(shapes)
    matrices = {n: s for n, s in shapes.items() if numel(s) % size.hidden == 0 and len(s) >= 2}
    vectors = {n: s for n, s in shapes.items() if len(s) == 1}
    groups = _groups(matrices, size, partial=partial)
    if groups is None:
        return
    biases = _biases(vectors, groups, places, size)
    options = [
        list(_readings(names, shapes, places, size, known=set(names) <= linear))
        for names in groups.values()
    ]
    for choice in product(*options):
        table: dict[str, Tensor] = {}
        for stacked, reading in zip(groups, choice, strict=True):
            pieces = reading(len(stacked))
            if pieces is None:
                break
            table.update(zip(stacked, pieces, strict=True))
        else:
            if partial or {"q", "k", "v"} <= set(table):
                yield _roles(table, biases, shapes, size)


def _places(shapes: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    places = {}
    start = 0
    for name, shape in shapes.items():
        places[name] = torch.arange(start, start + numel(shape))
        start += numel(shape)
    return places


def _groups(
    matrices: dict[str, tuple[int, ...]], size: Size, *, partial: bool
) -> dict[str, list[str]] | None:
    """Sort matrices into roles: "q" → its parameters, "qkv" → the fused one."""
    square = size.hidden * size.hidden
    fused = [n for n, s in matrices.items() if numel(s) == 3 * square]
    double = [n for n, s in matrices.items() if numel(s) == 2 * square]
    groups: dict[str, list[str]] = {}
    left = [n for n in matrices if n not in fused and n not in double]
    if fused:
        stacked = next(
            (v for w in words(fused[0]) if (v := _FUSED_WORDS.get(w, "")) and len(v) == 3), "qkv"
        )
        groups[stacked] = fused[:1]
    elif double:
        groups["kv"] = double[:1]
    claimed = set("".join(groups))
    for name in left:
        role = layer_role(name)
        if role is not None and role not in claimed:
            groups.setdefault(role, []).append(name)
    named = {name for names in groups.values() for name in names}
    rest = [n for n in left if n not in named and numel(matrices[n]) == square]
    missing = [r for r in _ORDER if r not in "".join(groups)]
    for role, name in zip(missing, rest, strict=False):
        groups[role] = [name]
    have = set("".join(groups))
    if not partial and not {"q", "k", "v"} <= have:
        return None
    for stacked, names in groups.items():
        if sum(numel(matrices[n]) for n in names) != len(stacked) * square:
            return None
    return groups or None


def _biases(
    vectors: dict[str, tuple[int, ...]],
    groups: dict[str, list[str]],
    places: dict[str, Tensor],
    size: Size,
) -> dict[str, Tensor]:
    """Give each group the bias that sits beside its weight."""
    found: dict[str, Tensor] = {}
    for stacked, names in groups.items():
        beside = [f"{name.rpartition('.')[0]}.bias" for name in names if "." in name]
        mine = [places[n] for n in beside if n in vectors]
        if mine and sum(len(p) for p in mine) == len(stacked) * size.hidden:
            found.update(zip(stacked, torch.cat(mine).chunk(len(stacked)), strict=True))
    return found


def _readings(
    names: list[str],
    shapes: dict[str, tuple[int, ...]],
    places: dict[str, Tensor],
    size: Size,
    *,
    known: bool,
) -> Iterator[Callable[[int], list[Tensor] | None]]:
    """Yield ways to read a group's parameters as (features, columns) matrices."""
    width, heads, depth = size.hidden, size.heads, size.head_dim
    flat = torch.cat([places[name] for name in names])
    shape = shapes[names[0]]

    def rows_first(count: int) -> list[Tensor] | None:
        return list(flat.reshape(count, width, width))

    def columns_first(count: int) -> list[Tensor] | None:
        return [m.T for m in flat.reshape(width, count, width).unbind(1)]

    def by_head(count: int) -> list[Tensor] | None:
        if count != 1:
            return None
        grid = flat.reshape(heads, width, depth)
        return [grid.transpose(1, 2).reshape(width, width)]

    def interleaved(count: int) -> list[Tensor] | None:
        grid = flat.reshape(heads, count, depth, width)
        return [m.reshape(width, width) for m in grid.unbind(1)]

    linear = names[0].endswith("weight")
    if len(shape) == 3:
        yield by_head
    yield from (
        (rows_first,)
        if known
        else (rows_first, columns_first)
        if linear
        else (columns_first, rows_first)
    )
    if heads > 1 and len(names) == 1 and numel(shape) > width * width:
        yield interleaved


def _roles(
    table: dict[str, Tensor],
    biases: dict[str, Tensor],
    shapes: dict[str, tuple[int, ...]],
    size: Size,
) -> Roles:
    empty = torch.full((size.hidden,), -1)
    absent = torch.full((size.hidden, size.hidden), -1)
    return Roles(
        names=tuple(shapes),
        shapes=shapes,
        q=table.get("q", absent),
        k=table.get("k", absent),
        v=table.get("v", absent),
        o=table.get("o"),
        bq=biases.get("q", empty),
        bk=biases.get("k", empty),
        bv=biases.get("v", empty),
        bo=biases.get("o", empty),
        place=torch.arange(size.hidden),
    )
