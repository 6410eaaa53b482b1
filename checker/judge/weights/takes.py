"""How parameters hold the model answer's layers, and where each of its weights then lies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

import torch
from torch import Tensor

from ....kata.arithmetic import worth
from ....kata.modules import Layer

__all__ = [
    "Reading", "Shapes", "Take", "end_to_end", "fitted", "given_back", "lent", "nowhere", "pieces",
    "tables",
]  # fmt: skip

Shapes = dict[str, tuple[int, ...]]

# What lies behind a submission's weights: gains as if learned, a 1, and a 0.
_GAINS = 61
_BEHIND = torch.cat([0.5 + torch.arange(_GAINS).double() * 0.618 % 1, torch.tensor([1.0, 0.0])])


# How gains may be stored: as they are used, or so that 0 stands for 1.
LOGARITHM = "logarithm"
STORED = ("", "less one", LOGARITHM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Layers of the model answer, the parameters that hold them, and how they lie there.

    order: how a parameter's axes are turned before its first `rows` are the features; () as it
    is. beside: several parameters stand side by side. parts: in how many parts the layers' rows
    alternate, or those of several parameters, or lists of such, that hold one layer; "" where one
    follows the other.
    turned: the layers whose heads lie as (head_dim, heads). stored: how gains are, one of
    STORED. biases: the parameters of their biases. times: the size by which the one parameter is
    repeated, as where all heads have one layer in common; "" where it is not.
    """

    layers: tuple[str, ...]
    names: tuple[str, ...]
    order: tuple[int, ...] = ()
    rows: int = 1
    beside: bool = False
    parts: str = ""
    turned: frozenset[str] = frozenset()
    stored: str = ""
    biases: tuple[str, ...] = ()
    times: str = ""

    def called(self, names: Mapping[str, str]) -> Take:
        """The same take of parameters that have other names."""
        own, beside = (tuple(names[one] for one in many) for many in (self.names, self.biases))
        return replace(self, names=own, biases=beside)


Reading = tuple[Take, ...]


def tables(
    reading: Reading, shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], *,
    loose: bool = False,
) -> dict[str, Tensor] | None:  # fmt: skip
    """Return where each weight of the model answer lies in the submission's, laid end to end.

    Index -1 stands for what the submission has not, and -2 for a 1 there: what is optional and
    not there is the identity. What is below stands for a gain that it has not. None where the
    shapes do not allow it.
    loose: take whatever shapes there are. What is returned is kept, and not to be written to.
    """
    held = (tuple(shapes.items()), tuple(layers), tuple(sizes.items()))
    return _tables(reading, *held, loose=loose)


@lru_cache(maxsize=512)
def _tables(
    reading: Reading, named: tuple[tuple[str, tuple[int, ...]], ...], layers: tuple[Layer, ...],
    worths: tuple[tuple[str, int], ...], *, loose: bool,
) -> dict[str, Tensor] | None:  # fmt: skip
    sizes = dict(worths)
    found: dict[str, Tensor] = {}
    for take in reading:
        held = _taken(take, named, layers, worths, loose=loose)
        if held is None:
            return None
        found |= held
    for layer in layers:
        shape = layer.sized(sizes)
        none = nowhere(shape, optional=layer.optional)
        if layer.gain and not layer.extra:
            # With 0 all that comes behind it would be 0.
            none = -3 - torch.arange(shape[0]) % _GAINS
        found.setdefault(f"{layer.name}.weight", none)
        if layer.bias:
            found.setdefault(f"{layer.name}.bias", torch.full(shape[:1], -1))
    return found


@lru_cache(maxsize=4096)
def _taken(
    one: Take, named: tuple[tuple[str, tuple[int, ...]], ...], layers: tuple[Layer, ...],
    worths: tuple[tuple[str, int], ...], *, loose: bool,
) -> dict[str, Tensor] | None:  # fmt: skip
    """Where the weights of one take's layers lie: readings have most of their takes in common."""
    shapes, sizes = dict(named), dict(worths)
    by_name = {layer.name: layer for layer in layers}
    (take,) = fitted((one,), shapes)
    wanted = [by_name[n].sized(sizes) for n in take.layers]
    free = all(by_name[n].optional for n in take.layers) and sizes.get("H", 1) == 1
    if free and not {*take.names} & shapes.keys():
        # One head's values need no other layer behind them: an object may do without there.
        return {}
    held = pieces(take, end_to_end(shapes), wanted, sizes, loose=loose)
    if held is None:
        return None
    found: dict[str, Tensor] = {}
    for layer, (weight, bias) in zip(take.layers, held, strict=True):
        axes = by_name[layer].shape if layer in take.turned else ()
        found[f"{layer}.weight"] = _turned(weight, axes, sizes)
        if by_name[layer].bias:
            found[f"{layer}.bias"] = _turned(bias, axes[:1], sizes)
    return found


def nowhere(shape: Sequence[int], *, optional: bool) -> Tensor:
    """Where a weight lies that the submission has not: one that is optional is the identity."""
    none = torch.full(tuple(shape), -1)
    return none.fill_diagonal_(-2) if optional else none


def lent(
    stored: dict[str, str], places: dict[str, Tensor], held: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Take the model answer's weights from where they lie in a submission's.

    stored: how some of them are.
    """
    flat = torch.cat([*(one.flatten() for one in held.values()), _BEHIND])
    return {name: in_use(flat[index], stored.get(name, "")) for name, index in places.items()}


def in_use(held: Tensor, stored: str) -> Tensor:
    """What a parameter is multiplied as. stored: one of STORED."""
    return held + 1 if stored == "less one" else held.exp() if stored == LOGARITHM else held


def given_back(
    grads: dict[str, Tensor], places: dict[str, Tensor], shapes: Shapes
) -> dict[str, Tensor]:
    """Bring gradients of the model answer's weights to where they lie in a submission's."""
    sizes = [prod(shape) for shape in shapes.values()]
    flat = torch.zeros(sum(sizes) + len(_BEHIND), dtype=torch.float64)
    for name, grad in grads.items():
        flat[places[name]] += grad
    parts = zip(shapes.items(), flat[: -len(_BEHIND)].split(sizes), strict=True)
    return {name: part.reshape(shape) for (name, shape), part in parts}


def end_to_end(shapes: Shapes) -> dict[str, Tensor]:
    """Number the entries of parameters that are laid end to end."""
    places, start = {}, 0
    for name, shape in shapes.items():
        places[name] = torch.arange(start, start + prod(shape)).reshape(shape)
        start += prod(shape)
    return places


def fitted(reading: Reading, shapes: Shapes) -> Reading:
    """Bring a reading to other sizes: a list of layers is as long as it is there."""
    return tuple(
        replace(take, names=_numbered(take.names, shapes), biases=_numbered(take.biases, shapes))
        for take in reading
    )


def _numbered(names: tuple[str, ...], shapes: Shapes) -> tuple[str, ...]:
    if len(names) < 2:
        return names
    # The numbers that they have in common are those of what holds the list, such as a block.
    parts = zip(*(re.split(r"([0-9]+)", name) for name in names), strict=True)
    alike = re.compile("".join(
        re.escape(some[0]) if len({*some}) == 1 else "[0-9]+" for some in parts
    ))  # fmt: skip
    return tuple(name for name in shapes if alike.fullmatch(name))


def pieces(
    take: Take, places: dict[str, Tensor], wanted: list[tuple[int, ...]], sizes: dict[str, int], *,
    loose: bool,
) -> list[tuple[Tensor, Tensor]] | None:  # fmt: skip
    """Cut a take's parameters into the weight and bias of each of its layers."""
    if not take.names or not {*take.names, *take.biases} <= places.keys():
        # An object of this size could not be made.
        return None
    held = [places[name] for name in take.names] * (worth(take.times, sizes) if take.times else 1)
    if not all(one.numel() for one in held):
        # A width that rounds down to nothing at this size holds no layer.
        return None
    if len(wanted[0]) == 1:
        return _vectors(take, places, wanted, loose=loose)
    if take.order and any(one.dim() != len(take.order) for one in held):
        # They do not lie alike.
        return None
    matrices: list[Tensor] = []
    for one in held:
        turned = one.permute(take.order) if take.order else one
        matrices.append(turned.reshape(prod(turned.shape[: take.rows]), -1))
    if len({m.shape[0 if take.beside else 1] for m in matrices}) > 1:
        return None
    whole = torch.cat(matrices, dim=1 if take.beside else 0)
    heights = [shape[0] for shape in wanted]
    if whole.shape != (sum(heights), wanted[0][1]):
        if not loose or whole.shape[0] % len(heights):
            return None
        heights = [whole.shape[0] // len(heights)] * len(heights)
    bias = _bias(take, places, whole.shape[0], sizes)
    parts = worth(take.parts, sizes) if take.parts else 1
    if any(height % parts for height in heights):
        return None
    if len(heights) == 1 and parts > 1:
        many = _lists(take.names) or len(held)
        whole, bias = _in_turn(whole, many, parts), _in_turn(bias, many, parts)
    cut = [height // parts for height in heights]
    rows = whole.reshape(parts, sum(cut), -1).split(cut, dim=1)
    ends = bias.reshape(parts, sum(cut)).split(cut, dim=1)
    return [
        (weight.reshape(-1, whole.shape[1]), end.flatten())
        for weight, end in zip(rows, ends, strict=True)
    ]


def _lists(names: Sequence[str]) -> int:
    """In how many lists of several parameters stand, as `q1.0`, `q1.1`, `q2.0` and `q2.1` do."""
    many = {re.sub(r"[0-9]+(?=[^0-9]*$)", "#", name) for name in names}
    return len(many) if 1 < len(many) < len(names) else 0


def _in_turn(rows: Tensor, many: int, parts: int) -> Tensor:
    """Bring rows of many parameters, one below the other, in an order in which they take turns."""
    if len(rows) % (many * parts):
        return rows
    return rows.unflatten(0, (many, parts, -1)).transpose(0, 1).flatten(0, 2)


def _vectors(
    take: Take, places: dict[str, Tensor], wanted: list[tuple[int, ...]], *, loose: bool
) -> list[tuple[Tensor, Tensor]] | None:
    """Cut a parameter that holds one layer's vector, or those of several one after the other."""
    held = [places[name] for name in take.names]
    turned = (one.permute(take.order) if len(take.order) == one.dim() else one for one in held)
    whole = torch.cat([one.flatten() for one in turned])
    bias = _bias(take, places, len(whole), {})
    sizes = [shape[0] for shape in wanted]
    if len(whole) != sum(sizes):
        return [(whole, bias)] if loose and len(sizes) == 1 else None
    return list(zip(whole.split(sizes), bias.split(sizes), strict=True))


def _turned(weight: Tensor, axes: Sequence[str], sizes: dict[str, int]) -> Tensor:
    """Bring axes that are heads times head_dim, and lie the other way round, in order."""
    for at, axis in enumerate(axes):
        heads, _, width = axis.partition("*")
        if width:
            many = worth(heads.strip(), sizes)
            if weight.shape[at] == many * worth(width.strip(), sizes):
                weight = weight.unflatten(at, (-1, many)).transpose(at, at + 1).flatten(at, at + 1)
    return weight


def _bias(take: Take, places: dict[str, Tensor], height: int, sizes: dict[str, int]) -> Tensor:
    held = [places[name].flatten() for name in take.biases]
    held *= worth(take.times, sizes) if take.times and sizes else 1
    whole = torch.cat(held) if held else torch.empty(0, dtype=torch.long)
    return whole if len(whole) == height else torch.full((height,), -1)
