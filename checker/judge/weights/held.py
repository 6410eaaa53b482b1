"""The weights that a submission holds, at every size, and how they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import torch
from torch import Tensor

from ....kata.arithmetic import worth
from ....kata.modules import Module
from ....kata.sizes import Sizes
from ..case import Case
from ..given import Given
from .derived import Derived
from .parameter_names import block_of
from .probed import Objects
from .products import Product, Together, brought_back, made, made_shapes
from .readings import drawn
from .stacked import numbered
from .takes import LOGARITHM, Reading, Shapes, fitted, given_back, lent, tables

__all__ = ["Held", "Kind"]

_GAIN = 1.5
# With large inputs this gives scores that exp cannot hold and a penalty of -10000 still masks.
_LARGE_GAIN = 0.8


@dataclass(slots=True, kw_only=True)
class Kind:
    """Objects of one size: the shapes of their weights, and the weights by how large they are."""

    shapes: Shapes = field(default_factory=dict)
    weights: dict[Any, dict[str, Tensor]] = field(default_factory=dict)
    objects: Objects | None = None


class Held:
    """A submission's weights, by the size of the object that holds them.

    reading: which of them is which of the model answer's. aligned: whether that is known to be
    so, and not only the likeliest. explained: whether it is so beside a mistake. likely: others
    that may be. products: those that are read as one, which they make together. share: what counts
    of a product that is added to a matrix: all of it, but while these are looked for.
    """

    def __init__(self, module: Module, sizes: Sizes, generator: torch.Generator) -> None:
        self.module, self.sizes, self.generator = module, sizes, generator
        self.kinds: dict[Any, Kind] = {}
        self.reading: Reading | Derived = ()
        self.aligned = False
        self.explained = False
        self.likely: Sequence[Reading | Derived] = ()
        self.products: tuple[Together, ...] = ()
        self.share = 1.0
        # By the tables and the draw, which stay here so that no other has their id.
        self._lent: dict[tuple[int, int], tuple[object, object, dict[str, Tensor]]] = {}

    def key(self, sizes: dict[str, int]) -> tuple[Any, ...]:
        """What tells objects of these sizes from others."""
        return tuple(self.module.worth(sizes).values())

    def kind(self, sizes: dict[str, int]) -> Kind:
        """What is known of the objects of a size."""
        return self.kinds.setdefault(self.key(sizes), Kind())

    def unread(self, reading: Reading | Derived = ()) -> Held:
        """The same weights, not read yet, or read in another way."""
        other = Held(self.module, self.sizes, self.generator)
        other.kinds, other.reading, other.products = self.kinds, reading, self.products
        return other

    @property
    def first(self) -> Shapes:
        """The shapes at the first size."""
        return made_shapes(self.products, self.kind(self.sizes.first()).shapes)

    def of(self, case: Case) -> dict[str, Tensor]:
        """The weights for a case, drawn once for all objects of one size."""
        kind = self.kind(case.sizes)
        gain = _GAIN if case.gain == 1 else _LARGE_GAIN
        if gain not in kind.weights and kind.shapes:
            layers = (one for one in self.module.layers if len(one.shape) > 1)
            fans = {worth(one.shape[-1], case.sizes) for one in layers}
            kind.weights[gain] = drawn(kind.shapes, gain, self.generator, fans)
        if self.share != 1 and gain in kind.weights:
            return self._reduced(kind, gain)
        # A bias makes what is small large: an eps behind it would not count.
        bare = case.zeros or case.gain < 1
        if bare and (gain, "bare") not in kind.weights and gain in kind.weights:
            idle = self._biases
            kind.weights[gain, "bare"] = {
                name: torch.zeros_like(one) if name in idle else one
                for name, one in kind.weights[gain].items()
            }
        return kind.weights.get((gain, "bare") if bare else gain, {})

    @contextmanager
    def sharing(self, share: float) -> Generator[None]:
        """Let so much count of each product that is added to a matrix, for a time."""
        self.share = share
        try:
            yield
        finally:
            self.share = 1.0

    def _reduced(self, kind: Kind, gain: float) -> dict[str, Tensor]:
        """The weights, with so much of each product that is added to a matrix."""
        added = (one for one in self.products if isinstance(one, Product) and one.base)
        left = frozenset(one.left[0] for one in added)
        if (gain, self.share, left) not in kind.weights:
            kind.weights[gain, self.share, left] = {
                name: one * self.share if name in left else one
                for name, one in kind.weights[gain].items()
            }
        return kind.weights[gain, self.share, left]

    @property
    def _biases(self) -> set[str]:
        """The parameters that hold biases and nothing else, as far as is known."""
        takes = () if isinstance(self.reading, Derived) else self.reading
        parts = {name for one in self.products for name in one.ends if name}
        return parts.union(*(take.biases for take in takes))

    def lent(
        self, given: Given, case: Case, reading: Reading | Derived, *, loose: bool = True
    ) -> Given | None:
        """Give the model answer these weights; None where they do not fit it.

        loose: put zeros where there is nothing that fits.
        """
        places = self._placed(reading, case)
        if places is None and loose:
            places = self._placed(reading, case, loose=True) or self._nowhere(case)
        if places is None:
            return None
        held = self.of(case)
        settled = (id(places), id(held))
        if reading is self.reading and settled in self._lent:
            return replace(given, weights=self._lent[settled][2])
        weights = lent(_stored(reading), places, made(self.products, held))
        if held and reading is self.reading:
            self._lent[settled] = (places, held, weights)
        return replace(given, weights=weights)

    def none(self, given: Given, case: Case) -> Given:
        """Give the model answer no weights but zeros."""
        shapes = {name: place.shape for name, place in self._nowhere(case).items()}
        return replace(given, weights={n: torch.zeros(s).double() for n, s in shapes.items()})

    def brought_back(self, grads: dict[str, Tensor], case: Case) -> dict[str, Tensor]:
        """Bring gradients of the model answer's weights to the parameters that hold them."""
        shapes = self._shapes(case)
        places = self._placed(self.reading, case) if self.aligned else None
        if places is None:
            return {}
        used = {*shapes} if isinstance(self.reading, Derived) else {
            name for take in fitted(self.reading, shapes) for name in (*take.names, *take.biases)
        }  # fmt: skip
        mine = given_back(self._of_stored(grads, places, case), places, shapes)
        mine = {name: grad for name, grad in mine.items() if name in used}
        return brought_back(self.products, mine, self.of(case))

    def _of_stored(
        self, grads: dict[str, Tensor], places: dict[str, Tensor], case: Case
    ) -> dict[str, Tensor]:
        """The same gradients, with respect to logarithms where they are stored."""
        stored = _stored(self.reading)
        if LOGARITHM not in stored.values():
            return grads
        weights = lent(stored, places, made(self.products, self.of(case)))
        return {
            name: grad * weights[name] if stored.get(name) == LOGARITHM else grad
            for name, grad in grads.items()
        }

    def read(self, values: dict[str, Tensor], case: Case) -> dict[str, Tensor]:
        """The model answer's weights that a submission's own are, as far as they are known."""
        places = self._placed(self.reading, case) if self.aligned else None
        names = [*self.of(case)]
        if places is None or not {*names} <= {*values}:
            return {}
        own = {name: values[name].double() for name in names}
        return lent(_stored(self.reading), places, made(self.products, own))

    @property
    def roles(self) -> dict[str, list[str]]:
        """The model answer's layers, each with the parameters that hold it."""
        if isinstance(self.reading, Derived):
            sizes = self.sizes.first()
            return self.reading.holders(
                self.reading.places(self.key(sizes), sizes) or {}, self.first
            )
        own = {one.name for one in self.module.own}
        return {
            layer: [*take.names, *take.biases]
            for take in self.reading for layer in take.layers if layer in own
        }  # fmt: skip

    @property
    def added(self) -> list[str]:
        """The parameters that hold a matrix which the model answer has not."""
        extra = {one.name for one in self.module.layers if one.extra and len(one.shape) > 1}
        takes = () if isinstance(self.reading, Derived) else self.reading
        many = (take for take in takes if extra & {*take.layers})
        return [name for take in many for name in (*take.names, *take.biases)]

    def holders(self, layers: Iterable[str]) -> set[str]:
        """The parameters that hold some of these layers' weights."""
        sizes = self.sizes.first()
        places = self._places(self.reading, sizes, self.first, loose=True) or {}
        weights = {f"{layer}.weight" for layer in layers}
        held = Derived.holders({n: p for n, p in places.items() if n in weights}, self.first)
        return {name for names in held.values() for name in names}

    @property
    def lacking(self) -> list[str]:
        """The model answer's layers for which no parameter learns, as far as is known."""
        if self.aligned or isinstance(self.reading, Derived):
            return []
        held = {layer for take in self.reading for layer in take.layers if take.names}
        return [one.name for one in self.module.own if one.name not in held]

    @property
    def shared(self) -> list[str]:
        """The parameters that hold a layer of several blocks."""
        takes = () if isinstance(self.reading, Derived) else self.reading
        count = Counter(name for take in takes for name in take.names)
        return [name for name in self.first if count[name] > 1]

    @property
    def repeated(self) -> list[str]:
        """The parameters that hold one head's share of a layer, and stand for all heads."""
        takes = () if isinstance(self.reading, Derived) else self.reading
        return [name for take in takes if take.times for name in take.names]

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks of layers a submission has weights for, and how many are asked for."""
        asked: dict[str, list[str]] = {}
        for one in self.module.own:
            asked.setdefault(block_of(one.name), []).append(one.name)
        asked.pop("", None)
        lacking = {*self.lacking}
        there = [block for block, layers in asked.items() if not lacking.issuperset(layers)]
        if len(there) < 2 or self.aligned:
            return len(there), len(asked)
        sizes = self.sizes.first()
        layers = [one for one in self.module.own if block_of(one.name) == there[0]]
        needed = sum(prod(one.sized(sizes)) for one in layers)
        held: dict[str, int] = {}
        for name, other in numbered(self.first, self.module.layers).items():
            held[block_of(other)] = held.get(block_of(other), 0) + prod(self.first[name])
        held.pop("", None)
        whole = len({*held.values()}) == 1 and min(held.values()) >= needed
        return max(len(held), len(there)) if whole else len(there), len(asked)

    @property
    def unused(self) -> list[str]:
        """The parameters that the output does not depend on."""
        used = {name for many in self.roles.values() for name in many} | {*self.added}
        return [name for name in self.first if name not in used]

    def _placed(
        self, reading: Reading | Derived, case: Case, *, loose: bool = False
    ) -> dict[str, Tensor] | None:
        return self._places(reading, case.sizes, self._shapes(case), loose=loose)

    def _shapes(self, case: Case) -> Shapes:
        held = {name: tuple(weight.shape) for name, weight in self.of(case).items()}
        return made_shapes(self.products, held)

    def _places(
        self, reading: Reading | Derived, sizes: dict[str, int], shapes: Shapes, *,
        loose: bool = False,
    ) -> dict[str, Tensor] | None:  # fmt: skip
        """Where each weight of the model answer lies in the submission's, laid end to end."""
        if isinstance(reading, Derived):
            return reading.places(self.key(sizes), sizes)
        return tables(reading, shapes, self.module.layers, sizes, loose=loose)

    def _nowhere(self, case: Case) -> dict[str, Tensor]:
        places = tables((), {}, self.module.layers, case.sizes)
        assert places is not None
        return places


def _stored(reading: Reading | Derived) -> dict[str, str]:
    """How the gains of the model answer are stored."""
    if isinstance(reading, Derived):
        return reading.stored
    return {f"{layer}.weight": take.stored for take in reading for layer in take.layers}
