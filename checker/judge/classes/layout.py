"""How weights are stored, learned at one size and carried over to others.

A parameter is a grid over axes: which role, which head, which feature of the head,
which column. The order of those axes in memory is the layout, and it holds at every
size; so derivatives are needed once, and the reference's agreement proves the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import torch
from torch import Tensor

from .plan import Size
from .truth import Roles, numel

__all__ = ["Layout", "carry", "learn"]

_ROLES = ("q", "k", "v", "o", "bq", "bk", "bv", "bo", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One parameter's axes in memory order, its roles in order, and its head if only one."""

    axes: tuple[str, ...]
    roles: tuple[int, ...]
    head: int | None


def learn(roles: Roles, size: Size) -> dict[str, Layout] | None:
    """Return each parameter's layout, or None where one is no plain grid."""
    if not torch.equal(roles.place.sort().values, roles.place):
        return None
    labels = _labels(roles, size)
    layouts: dict[str, Layout] = {}
    start = 0
    for name in roles.names:
        count = numel(roles.shapes[name])
        layout = _fit(labels[start : start + count], size)
        if layout is None:
            return None
        layouts[name] = layout
        start += count
    return layouts


def carry(
    layouts: dict[str, Layout], shapes: dict[str, tuple[int, ...]], size: Size, like: Roles
) -> Roles | None:
    """Return the roles at another size, or None where the layouts do not fit its shapes."""
    if set(layouts) != set(shapes):
        return None
    width, depth = size.hidden, size.head_dim
    tables = {
        "q": torch.full((width, width), -1),
        "k": torch.full((width, width), -1),
        "v": torch.full((width, width), -1),
        "o": torch.full((width, width), -1),
        "bq": torch.full((width,), -1),
        "bk": torch.full((width,), -1),
        "bv": torch.full((width,), -1),
        "bo": torch.full((width,), -1),
    }
    start = 0
    for name, shape in shapes.items():
        layout = layouts[name]
        count = numel(shape)
        label = _generate(layout, size)
        if label.shape[0] != count:
            return None
        place = torch.arange(start, start + count)
        for number in layout.roles:
            role = _ROLES[number]
            if role == "dead":
                continue
            mine = label[:, 0] == number
            rows = label[mine, 1] * depth + label[mine, 2]
            columns = label[mine, 3]
            if role == "o":
                tables["o"][columns, rows] = place[mine]
            elif role == "bo":
                tables["bo"][columns] = place[mine]
            elif role.startswith("b"):
                tables[role][rows] = place[mine]
            else:
                tables[role][rows, columns] = place[mine]
        start += count
    matrices = ["q", "k", "v"] + ([] if like.o is None else ["o"])
    if any(bool((tables[role] < 0).any()) for role in matrices):
        return None
    return Roles(
        names=tuple(shapes),
        shapes=shapes,
        q=tables["q"],
        k=tables["k"],
        v=tables["v"],
        o=None if like.o is None else tables["o"],
        bq=tables["bq"],
        bk=tables["bk"],
        bv=tables["bv"],
        bo=tables["bo"],
        place=torch.arange(width),
    )


def _labels(roles: Roles, size: Size) -> Tensor:
    """Say of every entry of the flat vector: role, head, feature, column."""
    total = sum(numel(shape) for shape in roles.shapes.values())
    labels = torch.full((total + 1, 4), 0)
    labels[:, 0] = _ROLES.index("dead")
    width, depth = size.hidden, size.head_dim
    rows = torch.arange(width)
    for role in ("q", "k", "v"):
        _write(labels, getattr(roles, role), role, rows // depth, rows % depth, rows)
    if roles.o is not None:
        _write(labels, roles.o.T, "o", rows // depth, rows % depth, rows)
    zero = torch.zeros(1, dtype=torch.long)
    for role in ("bq", "bk", "bv"):
        index = getattr(roles, role).unsqueeze(1)
        _write(labels, index, role, rows // depth, rows % depth, zero)
    _write(labels, roles.bo.unsqueeze(0), "bo", zero, zero, rows)
    return labels[:-1]


def _write(
    labels: Tensor, index: Tensor, role: str, head: Tensor, feature: Tensor, column: Tensor
) -> None:
    shape = index.shape
    known = index >= 0
    entries = index[known]
    labels[entries, 0] = _ROLES.index(role)
    labels[entries, 1] = head.unsqueeze(1).expand(shape)[known]
    labels[entries, 2] = feature.unsqueeze(1).expand(shape)[known]
    labels[entries, 3] = column.unsqueeze(0).expand(shape)[known]


def _fit(label: Tensor, size: Size) -> Layout | None:
    roles = tuple(dict.fromkeys(label[:, 0].tolist()))
    alive = label[:, 0] != _ROLES.index("dead")
    heads = label[alive, 1].unique().tolist()
    head = heads[0] if len(heads) == 1 and size.heads > 1 else None
    names = ["head", "feature", "column", "role"]
    for count in range(5):
        for axes in permutations(names, count):
            layout = Layout(axes=axes, roles=roles, head=head)
            own = head is not None and "head" in axes
            if own or math.prod(_counts(layout, size)) != label.shape[0]:
                continue
            made = _generate(layout, size)
            same_role = torch.equal(made[:, 0], label[:, 0])
            if same_role and torch.equal(made[alive], label[alive]):
                return layout
    return None


def _counts(layout: Layout, size: Size) -> list[int]:
    """How long each of a layout's axes is."""
    lengths = {
        "head": size.heads,
        "feature": size.head_dim,
        "column": size.hidden,
        "role": len(layout.roles),
    }
    return [lengths[axis] for axis in layout.axes]


@lru_cache(maxsize=1024)
def _generate(layout: Layout, size: Size) -> Tensor:
    counts = _counts(layout, size)
    total = math.prod(counts)
    label = torch.zeros(total, 4, dtype=torch.long)
    label[:, 0] = layout.roles[0] if layout.roles else 0
    rest = torch.arange(total)
    for axis, count in zip(reversed(layout.axes), reversed(counts), strict=True):
        value, rest = rest % count, rest // count
        if axis == "role":
            label[:, 0] = torch.tensor(layout.roles)[value]
        else:
            label[:, ("head", "feature", "column").index(axis) + 1] = value
    if layout.head is not None:
        label[:, 1] = layout.head
    return label
