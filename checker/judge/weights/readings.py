"""Which of a submission's weights is which of the model answer's: readings, to be tried.

A name proposes; the judge keeps the reading under which the model answer gives what the
submission gave. What names do not say is gone through: order, orientation, how several layers
are stacked in one parameter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from math import prod

import torch
from torch import Tensor

from ....kata.arithmetic import names as names_in
from ....kata.arithmetic import worth
from ....kata.modules import Layer
from .. import budget
from . import norms as vectors
from .assignments import Assignments, alike_first
from .norms import Unit
from .parameter_names import biases_of, is_bias, is_second, said_by, stands_beside, unsaid
from .stacked import every_block, numbered
from .takes import STORED, Reading, Shapes, Take, end_to_end, pieces

__all__ = ["Proposals", "drawn", "readings"]

_ASSIGNMENTS = 120


def drawn(
    shapes: Shapes, gain: float, generator: torch.Generator, fans: Collection[int] = ()
) -> dict[str, Tensor]:
    """Draw every weight in float64, at a scale that makes attention sharp; see `cases`.

    fans: how many features the model answer's layers take. A matrix that stacks several layers
    takes no more of them.
    """
    found: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        taken = max([size for size in shape if size in fans] or shape, default=1)
        scale = gain / taken**0.5 if len(shape) > 1 else 0.5
        found[name] = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    return found


def readings(
    shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], linear: frozenset[str], *,
    symbols: Sequence[str] = (), loose: bool = False, turned: bool = False,
) -> Iterator[Reading]:  # fmt: skip
    """Yield ways to read a submission's parameters, the likeliest first.

    linear: weights whose rows are known to be features. symbols: sizes in whose number stacked
    layers may alternate. loose: names alone count, whatever the shapes. turned: instead, what few
    write: heads lie as (head_dim, heads), or norms multiply by 1 + weight.
    """
    called = numbered(shapes, layers)
    known = {called[name]: shape for name, shape in shapes.items()}
    plain = frozenset(called.get(name, name) for name in linear)
    own = {other: name for name, other in called.items()}
    for reading in Proposals(known, layers, sizes, plain, symbols, loose=loose).readings():
        told = tuple(take.called(own) for take in reading)
        yield from _turned(layers, told) if turned else [told]


def _turned(layers: Sequence[Layer], reading: Reading) -> Iterator[Reading]:
    pairs = [{one.name, one.meets} for one in layers if one.meets]
    every = {one.name for one in layers if any("*" in axis for axis in one.shape)}
    gains = {one.name for one in layers if one.gain}
    # One of a pair turned alone is a mistake: features made in one order and used in another.
    for some in (every, *pairs):
        yield tuple(replace(take, turned=frozenset(some & {*take.layers})) for take in reading)
    for stored in STORED[1:] if gains else ():
        yield tuple(replace(take, stored=stored if gains >= {*take.layers} else "")
                    for take in reading)  # fmt: skip


class Proposals:
    """The ways to read parameters; arguments are those of `readings`."""

    def __init__(
        self, shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int],
        linear: frozenset[str], symbols: Sequence[str], *, loose: bool,
    ) -> None:  # fmt: skip
        self.shapes, self.layers, self.sizes = shapes, layers, sizes
        self.linear, self.symbols, self.loose = linear, symbols, loose
        self.by_name = {layer.name: layer for layer in layers}
        self.wanted = {
            one.name: one.sized(sizes) for one in layers
        }  # fmt: skip
        self.vectors = [one for one in layers if len(one.shape) == 1]
        self.needed = [one for one in self.vectors if not one.extra]
        # Of vectors alone: what matrices take is as wide as much else.
        taken = {one.shape[-1] for one in layers if len(one.shape) > 1 and not one.extra}
        self.widths = {one.shape[-1] for one in self.needed} - taken
        # All vectors of one width in one parameter, a row each.
        alike: dict[tuple[int, ...], list[Layer]] = {}
        for one in self.needed:
            alike.setdefault(self.wanted[one.name], []).append(one)
        rows: dict[tuple[int, ...], list[Layer]] = {
            (len(many), *width): many for width, many in alike.items() if len(many) > 1
        }
        stacked = {n for n, shape in shapes.items() if shape in rows}
        # Of one norm in all blocks, a row each.
        across = {n: every_block(said_by(n, self.vectors), self.vectors) for n in shapes}
        across = {n: held for n, held in across.items()
                  if held and shapes[n] == (len(held), *self.wanted[held[0]])}  # fmt: skip
        # A norm's weight may have axes of size 1 before it.
        thin = {n for n, shape in shapes.items() if n in stacked or n in across or len(shape) == 1
                or (self.vectors and sum(size > 1 for size in shape) < 2)}  # fmt: skip
        # Where there are no norms, a vector is a bias whatever its name.
        self.biases = [n for n, shape in shapes.items() if (n in thin and not self.vectors)
                       or is_bias(n, 1 if n in thin else len(shape), layers)]  # fmt: skip
        if len(thin - {*self.biases}) > len(self.needed):
            # A norm's pair in a list has no word for either.
            self.biases += [
                n for n in shapes if n in thin - {*self.biases} and is_second(n, shapes)
            ]
            left = [n for n in shapes if n in thin - {*self.biases}]
            self.biases += unsaid(left, len(self.needed))
        weights = {n: shape for n, shape in shapes.items() if n not in self.biases}
        self.flat = {n: shape for n, shape in weights.items() if n in thin}
        self.thick = {n: shape for n, shape in weights.items() if n not in thin}
        self.across = {n: held for n, held in across.items() if n in self.flat}
        self.whole = next((name for name in self.flat if name in stacked), None)
        self.rows = rows[self.flat[self.whole]] if self.whole else []
        self._forms: dict[Unit, list[Take]] = {}
        self._biases: dict[Unit, tuple[str, ...]] = {}
        self._orders: dict[Take, dict[str, tuple[int, ...]]] = {}

    def readings(self) -> Iterator[Reading]:
        """Yield them, the likeliest first."""
        held = len(self.flat) + max(0, len(self.rows) - 1)
        held += sum(len(layers) - 1 for layers in self.across.values())
        # A gain for each head, or the like, stands in a vector's place.
        held += sum(one.extra and len(one.shape) > 1 and one.shape[-1] in self.widths
                    for one in self.layers)  # fmt: skip
        if not self.loose and held < len(self.needed):
            return
        matrices = [one for one in self.layers if len(one.shape) > 1]
        wanted = {name: prod(shape) for name, shape in self.wanted.items()}
        assigned = Assignments(
            thick=self.thick, layers=matrices, wanted=wanted, loose=self.loose
        )  # fmt: skip
        for units in islice(assigned, _ASSIGNMENTS):
            forms = [self.forms(unit) for unit in units]
            for norms in self.norms():
                budget.spend()
                ends = tuple(
                    Take(layers=held, names=names, biases=self.biases_of(held, names))
                    for held, names in norms
                )
                for chosen in self._together(units, forms):
                    budget.spend()
                    if self._meet(chosen):
                        yield (*chosen, *ends)

    def _together(
        self, units: Sequence[Unit], forms: Sequence[Sequence[Take]]
    ) -> Iterator[tuple[Take, ...]]:
        """Yield a form for each unit: first one for all of a shape, then of a name, then any."""
        shapes = [tuple(self.shapes[name] for name in names) for _, names in units]
        leaves = [tuple(re.sub(r"[0-9]+", "#", name) for name in names) for _, names in units]
        seen: set[tuple[Take, ...]] = set()
        for kinds in (shapes, leaves, [names for _, names in units]):
            for chosen in alike_first(kinds, forms):
                if chosen not in seen:
                    seen.add(chosen)
                    yield chosen

    def _meet(self, takes: Iterable[Take]) -> bool:
        """Whether layers that meet have their features in one order."""
        lie = {layer: order for take in takes for layer, order in self._orders[take].items()}
        return all(
            lie[one.name] == lie[one.meets]
            for one in self.layers if one.name in lie and one.meets in lie
        )  # fmt: skip

    def norms(self) -> Iterator[list[Unit]]:
        """Yield which vectors are which norm's."""
        if self.whole is None:
            told = [(held, (name,)) for name, held in self.across.items()]
            known = {layer for held, _ in told for layer in held}
            flat = {name: shape for name, shape in self.flat.items() if name not in self.across}
            rest = [one for one in self.vectors if one.name not in known]
            yield from ([*told, *some] for some in vectors.norms(flat, rest))
            return
        flat = {name: shape for name, shape in self.flat.items() if name != self.whole}
        rest = [one for one in self.vectors if one not in self.rows]
        for order in permutations(one.name for one in self.rows):
            yield from ([(order, (self.whole,)), *some] for some in vectors.norms(flat, rest))

    def biases_of(self, held: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
        """The biases of the parameters that hold some layers."""
        if (found := self._biases.get((held, names))) is not None:
            return found
        found = biases_of(names, held, self.biases, self.layers, self.thick)
        flat = (name for name in names if name in self.flat)
        found = found or tuple(n for f in flat for n in self.biases if stands_beside(f, n))
        return self._biases.setdefault((held, names), found)

    def forms(self, unit: Unit) -> list[Take]:
        """The ways in which parameters can hold layers, as their shapes allow, each once."""
        if unit in self._forms:
            return self._forms[unit]
        held, names = unit
        wanted = [self.wanted[layer] for layer in held]
        beside = self.biases_of(held, names)
        places = end_to_end({name: self.shapes[name] for name in (*names, *beside)})
        found: dict[tuple[int, ...], Take] = {}
        for take in self.ways(held, names, beside):
            cut = pieces(take, places, wanted, self.sizes, loose=self.loose)
            if cut is not None:
                lies = torch.cat([one.flatten() for pair in cut for one in pair])
                found.setdefault(tuple(lies.tolist()), take)
                self._orders[take] = {
                    layer: _order(weight, self.by_name[layer], self.sizes)
                    for layer, (weight, _) in zip(held, cut, strict=True)
                }
        return self._forms.setdefault(unit, [*found.values()])

    def ways(
        self, held: tuple[str, ...], names: tuple[str, ...], beside: tuple[str, ...]
    ) -> Iterator[Take]:
        """Yield how parameters may hold layers, whatever their shapes. beside: of their biases."""
        for order, rows, side, parts in self._lie(held, names):
            yield Take(
                layers=held, names=names, order=order, rows=rows, beside=side, parts=parts,
                biases=beside,
            )  # fmt: skip

    def _lie(
        self, held: tuple[str, ...], names: tuple[str, ...]
    ) -> Iterator[tuple[tuple[int, ...], int, bool, str]]:
        """Yield a parameter's order of axes, how many are rows, whether beside, and parts."""
        many = len(self.shapes[names[0]])
        orders: Iterable[tuple[int, ...]] = [(0, 1), (1, 0)]
        if many > 2:
            orders = permutations(range(many))
        elif {*names} <= self.linear or (self.loose and names[0].endswith("weight")):
            orders = [(0, 1)]
        elif not names[0].endswith("weight"):
            orders = [(1, 0), (0, 1)]
        layers = [self.by_name[layer] for layer in held]
        wanted = [self.wanted[layer] for layer in held]
        alternating = _alternating(layers, self.symbols, wanted)
        if len(layers) == 1 and len(names) > 1:
            # Two maps a head, each of a layer of its own.
            turns = names_in(layers[0].shape[0])
            alternating = ["", *(symbol for symbol in self.symbols if symbol in turns)]
        sides = (False, True) if len(names) > 1 else (False,)
        yield from product(orders, range(1, many), sides, alternating)


def _order(places: Tensor, layer: Layer, sizes: dict[str, int]) -> tuple[int, ...]:
    """In which order the features of a layer's heads lie: heads and features, whichever is first.

    Of an order that is neither, all of it. places: where the weight's entries lie.
    """
    at = next((at for at, axis in enumerate(layer.shape) if "*" in axis), 0)
    ranks = places.movedim(at, 0)[:, 0].argsort().argsort()
    heads = worth(layer.shape[at].partition("*")[0].strip(), sizes)
    if "*" not in layer.shape[at] or bool((ranks.diff() > 0).all()):
        return (0,)
    ways = ((-1, heads), (heads, -1)) if len(ranks) % heads == 0 else ()
    whole = torch.arange(len(ranks))
    turned = [whole.unflatten(0, way).T.flatten() for way in ways]
    found = [kind for kind, one in enumerate(turned, 1) if torch.equal(ranks, one)]
    return tuple(found or ranks.tolist())


def _alternating(
    layers: Sequence[Layer], symbols: Sequence[str], wanted: Sequence[tuple[int, ...]]
) -> list[str]:
    """In how many parts stacked layers may alternate, the likeliest first.

    Those of several widths that come in equally many parts, as heads do, are split part by part.
    """
    if len(layers) == 1:
        return [""]
    common = set[str].intersection(*(names_in(layer.shape[0]) for layer in layers))
    uneven = len({shape[0] for shape in wanted}) > 1
    first = [symbol for symbol in symbols if uneven and symbol in common]
    # Row by row comes last: it is the rarest.
    last = [] if uneven else [layers[0].shape[0]]
    return list(dict.fromkeys([*first, "", *symbols, *last]))
