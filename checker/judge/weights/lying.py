"""A reading by names and shapes, for all sizes, of weights that were found at one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import prod

import torch
from torch import Tensor

from ....kata.modules import Layer
from .readings import Proposals
from .takes import Reading, Shapes, Take, end_to_end, pieces

__all__ = ["lying"]

_Unit = tuple[list[Layer], list[str]]


def lying(
    places: Mapping[str, Tensor], proposals: Proposals, *, idle: frozenset[str], stored: str
) -> Reading | None:
    """Return the reading under which each weight lies where it was found; None where none has it.

    places: as a table has them, -1 for what was not found. idle: biases that change nothing, so
    that nobody can say where they lie. stored: as a take has it, of gains.
    """
    shapes, layers = proposals.shapes, proposals.layers
    units = _units(places, shapes, layers)
    free = [n for n in shapes if n not in _owners([*places.values()], shapes)]
    takes: list[Take] = []
    for held, names in units:
        beside = _owners([places[f"{one.name}.bias"] for one in held if one.bias], shapes)
        if not beside and {f"{one.name}.bias" for one in held} <= idle:
            size = sum(prod(proposals.wanted[one.name][:1]) for one in held)
            beside = [name for name in free if prod(shapes[name]) == size][:1]
            free = [name for name in free if name not in beside]
        called = tuple(one.name for one in held), tuple(names), tuple(beside)
        ways = proposals.ways(*called) if len(held[0].shape) > 1 else [
            Take(layers=called[0], names=called[1], biases=called[2], order=order,
                 stored=stored if all(one.gain for one in held) else "")
            for order in ((), *permutations(range(len(shapes[names[0]]))))
        ]  # fmt: skip
        fitting = (take for take in ways if _fits(take, places, proposals))
        if (take := next(fitting, None)) is None:
            return None
        takes.append(take)
    return tuple(takes)


def _units(places: Mapping[str, Tensor], shapes: Shapes, layers: Sequence[Layer]) -> list[_Unit]:
    """Layers that share parameters, in the order in which they lie there, and these parameters."""
    units: list[_Unit] = []
    for layer in layers:
        names = _owners([places[f"{layer.name}.weight"]], shapes)
        joined = [unit for unit in units if {*unit[1]} & {*names}]
        held = [layer, *(one for some, _ in joined for one in some)]
        held.sort(key=lambda one: int(places[f"{one.name}.weight"].flatten()[0]))
        own = {*names}.union(*(some for _, some in joined))
        if names:
            units = [unit for unit in units if unit not in joined]
            units.append((held, [name for name in shapes if name in own]))
    return units


def _owners(places: Sequence[Tensor], shapes: Shapes) -> list[str]:
    """The parameters in which there are some of these places, in the order of the places."""
    ends = torch.tensor([prod(shape) for shape in shapes.values()]).cumsum(0)
    names = [*shapes]
    found = [where.flatten()[where.flatten() >= 0] for where in places]
    owners = [torch.bucketize(one, ends, right=True).unique().tolist() for one in found]
    return [*dict.fromkeys(names[at] for some in owners for at in some)]


def _fits(take: Take, places: Mapping[str, Tensor], proposals: Proposals) -> bool:
    wanted = [proposals.wanted[layer] for layer in take.layers]
    whole = end_to_end(proposals.shapes)
    cut = pieces(take, whole, wanted, proposals.sizes, loose=False)
    if cut is None:
        return False
    of = {f"{layer}.weight": pair[0] for layer, pair in zip(take.layers, cut, strict=True)}
    of |= {f"{layer}.bias": pair[1] for layer, pair in zip(take.layers, cut, strict=True)}
    return all(
        torch.equal(lies.flatten()[known], found[known])
        for name, lies in of.items() if name in places
        for found in [places[name].flatten()]
        for known in [found >= 0]
    )  # fmt: skip
