"""Weights that neither names nor shapes tell: read by what they do, at each size anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product
from math import prod
from typing import Any

import torch
from torch import Tensor

from ....kata.modules import Layer
from .. import budget
from ..truth import FAULTS, Ready
from .parameter_names import block_of, is_bias, said_by
from .probed import LEVEL, SEED, Objects
from .refine import PROBES, Side, assigned
from .stacked import counted, every_block, numbered, unblocked
from .takes import STORED, Shapes, end_to_end, in_use, nowhere

__all__ = ["Derived"]


@dataclass(frozen=True, slots=True)
class _Form:
    """Which of the model answer's weights a submission has, and how its gains are stored."""

    names: tuple[str, ...]
    stored: str


@dataclass(slots=True, kw_only=True)
class Derived:
    """A reading of weights by derivatives.

    model: the model answer, or one with a mistake. objects: those of one size, by the sizes; None
    where there are none. close: as `assigned` has it. forms: so many
    ways to be without some biases are looked at. form: found at the first size, and held to
    at the others. found: by size, where each weight lies; None where it cannot be said there.
    tried: what derivatives told of objects, by what form they are held to.
    """

    model: type
    layers: Sequence[Layer]
    objects: Callable[[dict[str, int]], Objects | None]
    close: float
    forms: int
    form: _Form | None = None
    found: dict[Any, dict[str, Tensor] | None] = field(default_factory=dict)
    tried: dict[tuple[Objects, _Form], dict[str, Tensor] | None] = field(default_factory=dict)
    sure: dict[Objects, dict[str, frozenset[str]]] = field(default_factory=dict)

    def places(self, key: Any, sizes: dict[str, int]) -> dict[str, Tensor] | None:
        """Where each weight lies at these sizes, -1 for what the submission has not."""
        if key not in self.found:
            of_this_size = self.objects(sizes)
            self.found[key] = of_this_size and self._placed(of_this_size)
        return self.found[key]

    def told(
        self, sizes: dict[str, int]
    ) -> Iterator[tuple[dict[str, Tensor], frozenset[str], str]]:
        """Yield where each weight may lie at these sizes, -1 of what changes nothing there.

        And the biases of which that is so, and how gains are stored.
        """
        objects = self.objects(sizes)
        for form in self._forms(objects) if objects is not None else ():
            budget.spend()
            if objects is None or not objects.agrees(self._level(objects, form)):
                continue
            places = self._by_derivatives(objects, form)
            if places is None:
                continue
            acts = self._acting(objects, form)
            found = {name: where.where(acts[name], -1) if name in acts else where
                     for name, where in places.items()}  # fmt: skip
            if self._as_named(found, objects):
                idle = {n for n, some in acts.items() if n.endswith(".bias") and not some.any()}
                yield found, frozenset(idle), form.stored

    def _acting(self, objects: Objects, form: _Form) -> dict[str, Tensor]:
        """Which of the model answer's weights change the output."""
        sizes = [prod(objects.wanted[name]) for name in form.names]
        draw = torch.Generator().manual_seed(SEED)
        some = torch.randn(sum(sizes), generator=draw, dtype=torch.float64) * LEVEL
        acting = torch.zeros(sum(sizes), dtype=torch.bool)
        for probe in range(PROBES):
            slopes = self._right(objects, form)(some, probe)
            assert slopes is not None
            acting |= slopes.abs() > self.close * 1e-6 * slopes.abs().max()
        return {
            n: one.view(objects.wanted[n])
            for n, one in zip(form.names, acting.split(sizes), strict=True)
        }

    @property
    def stored(self) -> dict[str, str]:
        """How gains are stored."""
        return dict.fromkeys(self._gains, self.form.stored if self.form is not None else "")

    @property
    def _axes(self) -> dict[str, str]:
        """What the entries of each vector are, a norm's or a bias: features of which axis."""
        norms = {f"{one.name}.weight": one.shape[0] for one in self.layers if len(one.shape) == 1}
        return norms | {f"{one.name}.bias": one.shape[0] for one in self.layers if one.bias}

    @property
    def _gains(self) -> set[str]:
        """What may be stored so that 0 stands for 1; what other vectors hold is what it is."""
        return {f"{layer.name}.weight" for layer in self.layers if layer.gain}

    @property
    def _optional(self) -> set[str]:
        """Matrices that a submission may be without; they are the identity then."""
        return {f"{layer.name}.weight" for layer in self.layers if layer.optional}

    def _placed(self, objects: Objects) -> dict[str, Tensor] | None:
        for form in self._forms(objects) if self.form is None else [self.form]:
            if not objects.agrees(self._level(objects, form)):
                continue
            places = self._by_derivatives(objects, form)
            if places is not None and self._holds(places, objects):
                self.form = form
                return places
        return None

    def _forms(self, objects: Objects) -> Iterator[_Form]:
        """Yield which biases there may be: those that leave no parameter unused first."""
        biases = [name for name in objects.wanted if name.endswith(".bias")]
        biases += [name for name in objects.wanted if name in self._optional]
        rest = [name for name in objects.wanted if name not in biases]
        room = objects.count - sum(prod(objects.wanted[n]) for n in rest)
        # Blocks are alike: what one is without, all are.
        kinds = {name: unblocked(name) for name in biases}
        sizes = Counter[str]()
        for name, kind in kinds.items():
            sizes[kind] += prod(objects.wanted[name])
        some = chain.from_iterable(combinations(sizes, n) for n in range(len(sizes), -1, -1))
        left = {one: room - sum(sizes[kind] for kind in one) for one in some}
        fits = [one for one, over in left.items() if over >= 0]
        needed = [objects.wanted[name] for name in rest]
        # A number alone is as long as 1.
        own = {shape[-1] if shape else 1 for shape in _thin(objects.shapes, needed).values()}
        vectors = {shape[-1] for shape in needed if len(shape) == 1}
        widths = {kinds[name]: objects.wanted[name][-1] for name in biases}
        odd = {one: len(own ^ (vectors | {widths[kind] for kind in one})) for one in fits}
        fitting = sorted(fits, key=lambda one: (left[one], odd[one]))
        ways = STORED if self._gains else STORED[:1]
        for there, stored in product(fitting[: self.forms], ways):
            names = (name for name in objects.wanted if kinds.get(name, name) in (*rest, *there))
            yield _Form(tuple(names), stored)

    def _right(self, objects: Objects, form: _Form) -> Side:
        """The derivatives of the model answer with respect to its weights."""
        sizes = [prod(objects.wanted[name]) for name in form.names]

        def right(flat: Tensor, probe: int) -> Tensor | None:
            leaf = flat.clone().requires_grad_(True)
            out = self._output(objects, form, leaf.split(sizes))
            if out is None or not out.requires_grad:
                return None
            return torch.autograd.grad((out * objects.sums[probe]).sum(), leaf)[0]

        return right

    def _by_derivatives(self, objects: Objects, form: _Form) -> dict[str, Tensor] | None:
        if (objects, form) not in self.tried:
            self.tried[objects, form] = self._assigned(objects, form)
        return self.tried[objects, form]

    def _assigned(self, objects: Objects, form: _Form) -> dict[str, Tensor] | None:
        sizes = [prod(objects.wanted[name]) for name in form.names]
        right, sides = self._right(objects, form), (objects.count, sum(sizes))
        places = assigned(
            objects.derivatives, right, sides, close=self.close, seed=SEED,
            known=[*self._by_name(objects, form), *self._by_shape(objects, form)],
        )  # fmt: skip
        if places is None:
            return None
        found = dict(zip(form.names, places.split(sizes), strict=True))
        return {
            name: found[name].reshape(shape) if name in found
            else nowhere(shape, optional=name in self._optional)
            for name, shape in objects.wanted.items()
        }  # fmt: skip

    def _by_name(self, objects: Objects, form: _Form) -> list[tuple[Tensor, Tensor]]:
        """What names tell: the layers that a parameter holds, or that several hold.

        Of two vectors that are only ever multiplied derivatives cannot say which is which.
        """
        mine = end_to_end(objects.shapes)
        right = end_to_end({name: objects.wanted[name] for name in form.names})
        own: dict[frozenset[str], list[Tensor]] = {}
        for name, said in self._sure(objects).items():
            own.setdefault(said, []).append(mine[name].flatten())
        found: list[tuple[Tensor, Tensor]] = []
        for said, parts in own.items():
            theirs = [
                right[f"{one.name}.weight"].flatten() for one in self.layers
                if {one.name, unblocked(one.name)} & said and f"{one.name}.weight" in right
            ]  # fmt: skip
            if theirs and sum(map(len, parts)) == sum(map(len, theirs)):
                found.append((torch.cat(parts)[None], torch.cat(theirs)[None]))
        return found

    def _by_shape(self, objects: Objects, form: _Form) -> list[tuple[Tensor, Tensor]]:
        """What shapes tell: one matrix alone of its shape, and in all norms the first feature, …

        Without them a model that has no biases gives nothing but zeros where all weights are one.
        """
        found: list[tuple[Tensor, Tensor]] = []
        sides = objects.shapes, {name: objects.wanted[name] for name in form.names}
        mine, right = map(end_to_end, sides)
        axes, thin = self._axes, _thin(objects.shapes, [*sides[1].values()])
        for shape in dict.fromkeys(sides[1].values()):
            own, theirs = ([n for n, some in side.items() if _sizes(some) == _sizes(shape)]
                           for side in sides)  # fmt: skip
            # Of one feature a matrix is a number as well.
            theirs = [n for n in theirs if len(sides[1][n]) == len(shape)]
            if len(shape) == 1 and len({axes[n] for n in theirs}) == 1:
                # A few in one parameter are a row each, or a column.
                few = [
                    mine[n].movedim(some.index(shape[0]), -1).reshape(-1, *shape)
                    for n, some in thin.items() if some.count(shape[0]) == 1
                ]  # fmt: skip
                rows = torch.cat(few) if few else torch.empty((0, *shape), dtype=torch.long)
                if len(rows) == len(theirs):
                    found.append((rows.T, torch.stack([right[n] for n in theirs], dim=1)))
            elif len({*shape}) > 1 and len(own) == len(theirs) == 1:
                one = mine[own[0]].squeeze()
                turned = one if tuple(one.shape) == shape else one.mT
                found.append((turned.reshape(-1, 1), right[theirs[0]].reshape(-1, 1)))
        return found

    def _level(self, objects: Objects, form: _Form) -> Tensor | None:
        parts = [torch.full(objects.wanted[n], LEVEL).double() for n in form.names]
        with torch.no_grad():
            return self._output(objects, form, parts)

    def _output(self, objects: Objects, form: _Form, parts: Sequence[Tensor]) -> Tensor | None:
        """Call the model answer; weights that the submission has not are zero."""
        weights = {
            n: torch.eye(*shape).double() if n in self._optional else torch.zeros(shape).double()
            for n, shape in objects.wanted.items()
        }
        gains = self._gains
        for name, part in zip(form.names, parts, strict=True):
            held = part.reshape(objects.wanted[name])
            weights[name] = in_use(held, form.stored if name in gains else "")
        given = objects.trial.given
        try:
            made = Ready(self.model, replace(given, weights=weights))
            result = made(**given.handed)
        except FAULTS:
            return None
        return result[0] if isinstance(result, tuple) else result

    def _holds(self, places: dict[str, Tensor], objects: Objects) -> bool:
        """Whether features lie in the order asked for, and layers make what they are called for.

        Weights in another order are another layer's weights for whoever loads trained ones.
        """
        present = ((name, where) for name, where in places.items() if not bool((where == -2).any()))
        ordered = all(_in_order(name, where) for name, where in present)
        return ordered and self._as_named(places, objects)

    def _as_named(self, places: dict[str, Tensor], objects: Objects) -> bool:
        holders = self.holders(places, objects.shapes)
        held = {
            name: frozenset(layer for layer, names in holders.items() if name in names)
            for name in objects.shapes
        }
        blocks = {name: block_of(one) for name, one in counted(objects.shapes, self.layers).items()}
        if any({*map(block_of, held[name])} - {"", block} for name, block in blocks.items()):
            return False
        return all(
            not held[name] or held[name] == said or frozenset(map(unblocked, held[name])) == said
            for name, said in self._sure(objects).items()
        )

    def _sure(self, objects: Objects) -> dict[str, frozenset[str]]:
        """The parameters whose names and sizes say which layers they hold, and those.

        What has no block's number is of any block.
        """
        if objects not in self.sure:
            self.sure[objects] = self._said(objects)
        return self.sure[objects]

    def _said(self, objects: Objects) -> dict[str, frozenset[str]]:
        called = numbered(objects.shapes, self.layers)
        found: dict[str, frozenset[str]] = {}
        for name, shape in objects.shapes.items():
            said = said_by(called[name], self.layers)
            sizes = [sum(prod(objects.wanted[f"{layer}.weight"]) for layer in held)
                     for held in (said, every_block(said, self.layers))]  # fmt: skip
            if said and prod(shape) in sizes and not is_bias(name, len(shape), self.layers):
                found[name] = frozenset(said if block_of(called[name]) else map(unblocked, said))
        # What more say than there are layers of it, as `norm` of each block, says nothing.
        kinds = [kind for one in self.layers for kind in {one.name, unblocked(one.name)}]
        there, claims = Counter(kinds), Counter(found.values())
        few = {said for said in claims if claims[said] <= min(there[one] for one in said)}
        return {name: said for name, said in found.items() if said in few}

    @staticmethod
    def holders(places: dict[str, Tensor], shapes: Shapes) -> dict[str, list[str]]:
        """The model answer's layers, each with the parameters that hold some of it."""
        ends = torch.tensor([prod(shape) for shape in shapes.values()]).cumsum(0)
        names = [*shapes]
        found: dict[str, list[str]] = {}
        for name, where in places.items():
            owners = torch.bucketize(where[where >= 0], ends, right=True).unique().tolist()
            held = found.setdefault(name.rpartition(".")[0], [])
            held += [names[at] for at in owners if names[at] not in held]
        return found


def _sizes(shape: tuple[int, ...]) -> list[int]:
    """The lengths of a shape's axes in order, but for those of one entry where there are more."""
    return sorted(size for size in shape if size > 1) or [1]


def _thin(shapes: Shapes, needed: Sequence[tuple[int, ...]]) -> Shapes:
    """The parameters that hold vectors, one alone or a few.

    needed: the shapes of what there has to be; of these matrices the least tells what is few.
    """
    least = min((prod(shape) for shape in needed if len(shape) > 1), default=0)
    return {n: shape for n, shape in shapes.items() if len(shape) == 1 or prod(shape) < least}


def _in_order(name: str, where: Tensor) -> bool:
    """Whether rows and columns follow each other as they do in the model answer."""
    if bool((where < 0).any()):
        # Of a bias that changes nothing, as a key's, it cannot be told where it lies.
        return name.endswith(".bias")
    return all(bool((where.diff(dim=axis) > 0).all()) for axis in range(where.dim()))
