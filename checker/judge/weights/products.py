"""Weights that parameters make together: two low-rank factors, alone or added to a matrix.

A factorised layer is `left @ right`; LoRA (Hu et al. 2021, section 4.1) adds `alpha / rank` times
that to a weight. Which parameters belong together is read off their names, how they meet off their
shapes; the model answer then says whether it is so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch
from torch import Tensor

from ....kata.modules import Layer
from ...vocabulary import words
from .bordered import Bordered
from .parameter_names import said_by
from .stacked import numbered
from .takes import Shapes

__all__ = [
    "Product", "Together", "brought_back", "made", "made_shapes", "products", "scaled",
]  # fmt: skip

# What tells the parts of one layer from each other, and what says nothing.
_PARTS = {
    "a", "b", "up", "down", "lora", "low", "rank", "left", "right", "first", "second", "base",
    "delta", "compress", "expand", "reduce", "adapter", "main", "frozen", "pretrained", "inner",
    "outer", "factor", "factors", "weight", "bias", "linear", "layer",
}  # fmt: skip
# By which power of its rank a product is divided: alpha, alpha / r, alpha / sqrt(r).
_POWERS = (0.0, 1.0, 0.5)
# So far apart, of their size, may be what one product counts at several ranks.
_CLOSE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A matrix that parameters make, in the place of one of them.

    name: of that one. left, right: the factors, each with the axis by which they meet. base: what
    the product is added to, "" where nothing is. ends: the biases behind right and behind left, and
    that of the base. scale, power: the product counts scale / rank ** power times.
    """

    name: str
    left: tuple[str, int]
    right: tuple[str, int]
    base: str = ""
    ends: tuple[str, str, str] = ("", "", "")
    scale: float = 1.0
    power: float = 0.0

    def rank(self, shapes: Shapes) -> int:
        """How many features its factors meet by."""
        return shapes[self.right[0]][self.right[1]]

    @property
    def end(self) -> str:
        """The parameter in whose place its bias stands, "" where there is none."""
        return next((name for name in reversed(self.ends) if name), "")

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters that it is made of."""
        return tuple(n for n in (self.left[0], self.right[0], self.base, *self.ends) if n)

    def of(self, values: dict[str, Tensor]) -> dict[str, Tensor]:
        """Make the matrix and its bias."""
        left = values[self.left[0]].movedim(self.left[1], -1)
        right = values[self.right[0]].movedim(self.right[1], 0)
        times = self.scale / right.shape[0] ** self.power
        whole = times * (left @ right)
        between, behind, beside = (values.get(name) for name in self.ends)
        ends = [] if between is None else [times * (left @ between)]
        ends += [] if behind is None else [times * behind]
        ends += [] if beside is None else [beside]
        found = {self.name: values[self.base] + whole if self.base else whole}
        return found | ({self.end: torch.stack(ends).sum(0)} if ends else {})


Together = Product | Bordered


def made(ways: Sequence[Together], values: dict[str, Tensor]) -> dict[str, Tensor]:
    """Put what parameters make in their place, in the order of the parameters."""
    parts = {name for one in ways for name in one.names}
    placed: dict[str, dict[str, Tensor]] = {}
    for one in ways:
        for name, whole in one.of(values).items():
            placed.setdefault(name if name in values else one.names[0], {})[name] = whole
    found: dict[str, Tensor] = {}
    for name, value in values.items():
        found |= placed.get(name, {} if name in parts else {name: value})
    return found


def made_shapes(ways: Sequence[Together], shapes: Shapes) -> Shapes:
    """The shapes of what parameters make; those of the parameters where they do not fit."""
    if not ways or not shapes:
        return shapes
    try:
        whole = made(
            ways, {name: torch.empty(shape, device="meta") for name, shape in shapes.items()}
        )
    except (KeyError, RuntimeError):
        # An object of this size could not be made, or its factors do not meet.
        return shapes
    return {name: tuple(one.shape) for name, one in whole.items()}


def brought_back(
    ways: Sequence[Together], grads: dict[str, Tensor], values: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Bring gradients of what parameters make to the parameters."""
    if not ways:
        return grads
    # A bias between factors counts in the bias made, and factors in both.
    held = (one.names for one in ways if one.of(values).keys() & grads.keys())
    learning = {*grads}.union(*held)
    used = [name for name in values if name in learning]
    own = {name: value.detach().requires_grad_() for name, value in values.items()}
    whole = made(ways, own)
    counted = [name for name in whole if name in grads]
    found = torch.autograd.grad(
        [whole[name] for name in counted], [own[name] for name in used],
        [grads[name] for name in counted], materialize_grads=True,
    )  # fmt: skip
    return dict(zip(used, found, strict=True))


def products(
    shapes: Shapes, layers: Sequence[Layer], rows: Sequence[dict[str, int]],
    kinds: Sequence[Shapes], linear: frozenset[str],
) -> Iterator[tuple[Product, ...]]:  # fmt: skip
    """Yield ways in which parameters may make weights together, the likeliest first.

    shapes: those at the first size. rows, kinds: sizes, and the shapes at each.
    linear: weights whose rows are known to be features.
    """
    widths = [{width for one in layers for width in one.sized(row)} for row in rows]

    def factor(name: str, axis: int) -> bool:
        """Whether an axis is, at some size, the shorter one and as long as no axis of a layer."""
        return any(
            len(kind.get(name, ())) == 2
            and kind[name][axis] < kind[name][1 - axis] and kind[name][axis] not in width
            for kind, width in zip(kinds, widths, strict=True)
        )  # fmt: skip

    ways = [
        [one for one in _joined(group, shapes, linear)
         if factor(*one.left) and factor(*one.right)]
        for group in _groups(shapes, layers)
    ]  # fmt: skip
    ways = [some for some in ways if some]
    for turn in range(max(map(len, ways), default=0)):
        yield tuple(some[min(turn, len(some) - 1)] for some in ways)


def scaled(
    one: Product, counts: Sequence[tuple[int, float]], written: Collection[float]
) -> Product | None:
    """The same product, as often as it counts at each rank; None where no rule gives that.

    counts: ranks, and how often it counts there. written: numbers in the file, of which alpha is
    likelier to be one.
    """
    found: list[Product] = []
    for power in _POWERS:
        scales = [times * rank**power for rank, times in counts]
        if max(scales) - min(scales) <= _CLOSE * max(map(abs, scales)):
            found.append(replace(one, scale=scales[0], power=power))
    said = (
        way for way in found
        if any(abs(abs(way.scale) - some) <= _CLOSE * some for some in written)
    )  # fmt: skip
    return next(said, next(iter(found), None))


def _groups(shapes: Shapes, layers: Sequence[Layer]) -> list[list[str]]:
    """What may belong together: parameters that name one layer, or have one stem."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, other in numbered(shapes, layers).items():
        found.setdefault(said_by(other, layers) or _stem(other), []).append(name)
    return [*found.values()]


def _stem(name: str) -> tuple[str, ...]:
    parts = name.split(".")
    if len(parts) > 1 and parts[-1] in {"weight", "bias"}:
        parts.pop()
    told = [word for part in parts for word in words(part) if word in _PARTS - {"b", "weight"}]
    if not told:
        # Pairs in a list, or numbered.
        parts[-1] = re.sub(r"_?[0-9]+$", "", parts[-1])
    return tuple(word for part in parts for word in words(part) if word not in _PARTS)


def _joined(group: Sequence[str], shapes: Shapes, linear: frozenset[str]) -> list[Product]:
    """The ways in which a group's matrices, two or three, may make one."""
    thick = [name for name in group if len(shapes[name]) == 2]
    flat = [name for name in group if len(shapes[name]) == 1]
    if len(thick) not in {2, 3} or len(thick) + len(flat) != len(group):
        return []
    found: list[Product] = []
    for base in thick if len(thick) > 2 else [""]:
        factors = [name for name in thick if name != base]
        for right, left in (factors, factors[::-1]):
            found += [
                Product(name=base or left, left=(left, i), right=(right, j), base=base, ends=ends)
                for i, j in product((1, 0), (0, 1))
                if (left not in linear or i == 1) and (right not in linear or j == 0)
                and shapes[left][i] == shapes[right][j]
                and (not base or shapes[base] == (shapes[left][1 - i], shapes[right][1 - j]))
                and (ends := _ends(flat, left, right, base)) is not None
            ]  # fmt: skip
    return sorted(found, key=lambda one: shapes[one.left[0]][one.left[1]])


def _ends(flat: Sequence[str], left: str, right: str, base: str) -> tuple[str, str, str] | None:
    """The biases of the right, the left and the base, by names; None where these do not say it."""
    owners = {name.rpartition(".")[0]: name for name in flat if name.endswith("bias")}
    ends = tuple(
        owners.pop(name.removesuffix(".weight"), "") if name.endswith(".weight") else ""
        for name in (right, left, base)
    )
    if len(flat) == 1 and not any(ends):
        # A bare vector beside bare factors is added at the end.
        return ("", "", flat[0])
    return (ends[0], ends[1], ends[2]) if sum(map(bool, ends)) == len(flat) else None
