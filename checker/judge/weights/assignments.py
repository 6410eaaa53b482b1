"""Which parameters hold which layers' matrices: by their names, then in every way that fits."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product
from math import prod
from typing import TypeVar

from ....kata.modules import Layer
from .. import budget
from .norms import Unit
from .parameter_names import block_of, said_by
from .stacked import every_block, in_block, orders, several
from .takes import Shapes

__all__ = ["Assignments", "alike_first"]

# How many layers a parameter holds at most where no name says so.
_MOST = 4
# How many ways are put in order, the likeliest first.
_SORTED = 48

T = TypeVar("T")
Group = tuple[str, ...]


def alike_first(kinds: Sequence[Hashable], ways: Sequence[Sequence[T]]) -> Iterator[tuple[T, ...]]:
    """Yield a way for each of several: in all of a kind the same, as far as it has so many.

    Blocks hold theirs alike, and every choice apart is more than can be tried.
    """
    counts = {kind: len(some) for kind, some in zip(kinds, ways, strict=True)}
    for chosen in product(*map(range, counts.values())):
        at = dict(zip(counts, chosen, strict=True))
        if all(at[kind] < len(some) for kind, some in zip(kinds, ways, strict=True)):
            yield tuple(some[at[kind]] for kind, some in zip(kinds, ways, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignments:
    """The ways to give parameters to layers.

    thick: the parameters that hold matrices. layers: those with matrices. wanted: how many numbers
    each has. loose: names alone count, whatever the shapes.
    """

    thick: Shapes
    layers: Sequence[Layer]
    wanted: dict[str, int]
    loose: bool

    def __iter__(self) -> Iterator[list[Unit]]:
        """Yield them, the likeliest first: layers, and the parameters that hold them."""
        groups: dict[str, list[str]] = {}
        blocks = several(self.wanted)
        for name, shape in self.thick.items():
            block = block_of(name) if blocks else ""
            groups.setdefault(f"{block} {re.sub(r'[0-9]+', '#', name)} {shape}", []).append(name)
        idle = {(layer.name,) for layer in self.layers if layer.optional}
        for way in product(*map(self._groupings, groups.values())):
            many = [some for each in way for some in each]
            yield from self._assigned(many)
            used = [some for some in many if said_by(some[0], self.layers) not in idle]
            if not self.loose and used != many:
                # What may be left out may be there and not be called.
                yield from self._assigned(used)

    def _groupings(self, names: list[str]) -> list[list[Group]]:
        """How parameters of one name and many numbers may belong together: each alone, or all."""
        alone: list[Group] = [(name,) for name in names]
        whole: list[Group] = [tuple(names)]
        if len(names) == 1:
            return [alone]
        said = said_by(names[0], self.layers)
        if said:
            one = all(said_by(name, self.layers) == said for name in names)
            return [whole if one else alone]
        size = prod(self.thick[names[0]])
        # A module a head may hold its part of several layers, as `Linear(width, 3 * head_dim)`.
        if size * len(names) not in _sums(self.wanted.values(), range(1, _MOST)):
            return [alone]
        return [alone, whole] if size in self.wanted.values() else [whole]

    def _assigned(self, groups: list[Group]) -> Iterator[list[Unit]]:
        named, free = self._by_name(groups)
        taken = {layer for held, _ in named for layer in held}
        left = [layer.name for layer in self.layers if layer.name not in taken]
        ways = chain(self._alike(free, left), self._spread(free, left))
        whole = (way for way in ways if self.loose or not self._needed(way, left))
        seen: set[tuple[Unit, ...]] = set()
        for rest in chain(sorted(islice(whole, _SORTED), key=self._mixed), whole):
            for units in _stacked([*named, *rest]):
                if tuple(units) not in seen:
                    seen.add(tuple(units))
                    yield units

    def _by_name(self, groups: list[Group]) -> tuple[list[Unit], list[Group]]:
        """What names say, where the sizes fit, and what they do not say."""
        layers, wanted = self.layers, self.wanted
        named: list[Unit] = []
        free: list[Group] = []
        taken: set[str] = set()
        spoken = {layer for some in groups for layer in said_by(some[0], layers)}
        unsaid = [wanted[one.name] for one in layers if one.name not in spoken and not one.extra]
        for some in groups:
            said, size = said_by(some[0], layers), self._size(some)
            # What has a block's number is that block's alone, however wide it is.
            every = () if block_of(some[0]) else every_block(said, layers)
            if every and size == sum(wanted[layer] for layer in every):
                said = every
            own = [wanted[layer] for layer in said]
            # What is called for three layers and has the size of two of them holds no third, and
            # with that of one no other; with that of all and of others that no name speaks of, it
            # holds these as well.
            fits = size == sum(own) or (
                self.loose
                and size not in _sums(own, range(1, len(said)))
                and size - sum(own) not in _sums(unsaid, range(1, _MOST))
            )
            if said and fits and not taken & set(said):
                named.append((said, some))
                taken.update(said)
            else:
                free.append(some)
        return named, free

    def _alike(self, free: Sequence[Group], left: list[str]) -> Iterator[list[Unit]]:
        """Yield ways to give what no name tells apart to what is left, in all blocks the same."""
        blocks: dict[str, dict[Group, Group]] = {}
        for some in free:
            block = block_of(some[0]) if several(self.wanted) else ""
            kind = tuple(re.sub(r"[0-9]+", "#", name, count=1) if block else name for name in some)
            blocks.setdefault(block, {})[kind] = some
        outer = blocks.pop("", {})
        if len(blocks) < 2 or len({frozenset(some) for some in blocks.values()}) > 1:
            return
        (first, own), *others = blocks.items()
        for way in self._spread([*own.values()], in_block([first], left)):
            units = list(way)
            for block, theirs in others:
                units += [
                    (tuple(layer.replace(f".{first}.", f".{block}.") for layer in held),
                     next(theirs[kind] for kind, some in own.items() if some == names))
                    for held, names in way
                ]  # fmt: skip
            taken = {layer for held, _ in units for layer in held}
            if taken <= {*left}:
                rest = [layer for layer in left if layer not in taken]
                yield from ([*units, *more] for more in self._spread([*outer.values()], rest))

    def _spread(self, free: Sequence[Group], left: list[str]) -> Iterator[list[Unit]]:
        """Yield ways to give what no name tells apart to the layers that are left."""
        budget.spend()
        if not free or not left:
            yield []
            return
        lacking = sum(self.wanted[one] for one in self._needed([], left))
        if not self.loose and lacking > sum(map(self._size, free)):
            return
        some, *rest = free
        size = self._size(some)
        near = in_block(some, left) if several(self.wanted) else left
        many = [held for count in range(1, min(_MOST, len(near)) + 1)
                for held in combinations(near, count)]  # fmt: skip
        fitting = [held for held in many if sum(self.wanted[layer] for layer in held) == size]
        for held in fitting or [(layer,) for layer in left if self.loose]:
            after = [layer for layer in left if layer not in held]
            yield from ([(held, some), *more] for more in self._spread(rest, after))
        if not self.loose:
            yield from self._spread(rest, left)

    def _needed(self, way: Sequence[Unit], left: Sequence[str]) -> list[str]:
        """The layers that must be somewhere and are not, of those that are left."""
        held = {layer for some, _ in way for layer in some}
        free = {one.name for one in self.layers if one.extra or one.optional}
        return [layer for layer in left if layer not in held and layer not in free]

    def _mixed(self, way: Sequence[Unit]) -> int:
        """How many parameters hold layers that take different features."""
        taken = {one.name: one.shape[-1] for one in self.layers}
        return sum(len({taken[layer] for layer in held}) > 1 for held, _ in way)

    def _size(self, names: Group) -> int:
        return sum(prod(self.thick[name]) for name in names)


def _stacked(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Yield the same with stacked layers in every order, as they are named first."""
    ways = [[*orders(held)] for held, _ in units]
    alike = [tuple(re.sub(r"[0-9]+", "#", name) for name in (*held, *some)) for held, some in units]
    for kinds in (alike, range(len(units))):
        for order in alike_first(kinds, ways):
            yield [(held, names) for held, (_, names) in zip(order, units, strict=True)]


def _sums(sizes: Collection[int], many: Iterable[int]) -> set[int]:
    """The sizes that some layers have together. many: how many of them."""
    return {sum(some) for count in many for some in combinations(sizes, count)}
