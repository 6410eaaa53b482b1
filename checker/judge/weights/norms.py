"""Which of a submission's vectors is which norm's: by their names, and then in every order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, permutations, product

from ....kata.modules import Layer
from .parameter_names import block_of, said_by
from .takes import Shapes

__all__ = ["Unit", "norms"]

Unit = tuple[tuple[str, ...], tuple[str, ...]]
Pairs = list[tuple[str, str]]

# Of how many layers all orders are looked at before any is tried.
_FEW = 6


def norms(flat: Shapes, vectors: list[Layer]) -> Iterator[list[Unit]]:
    """Yield which vector is which norm's: by name, then in every order."""
    said = {name: layer for name in flat if len(found := said_by(name, vectors)) == 1
            for layer in found}  # fmt: skip
    # Of several that say the same, those of its block: `norm_f` beside `blocks.0.norm_a`.
    there = {layer for name, layer in said.items() if block_of(name) == block_of(layer)}
    said = {name: layer for name, layer in said.items()
            if layer not in there or block_of(name) == block_of(layer)}  # fmt: skip
    fixed = {layer: name for name, layer in reversed(said.items())}
    many = [*said.values()]
    # What several names say is then said by none: `norm` beside `blocks.0.norm`.
    sure = {layer: name for layer, name in fixed.items() if many.count(layer) == 1}
    for known in (fixed,) if sure == fixed else (fixed, sure):
        rest = [one.name for one in vectors if one.name not in known]
        names = [name for name in flat if name not in known.values()]
        apart = _apart(rest, names)
        if len(rest) <= _FEW:
            # A last norm may have a number as well: `a.0`, `a.1`, `b.0`, `b.1`, `c.0`.
            apart = sorted(apart, key=_beside, reverse=True)
        for pairs in chain(_in_blocks(rest, names), apart):
            yield [((layer,), (name,)) for layer, name in (*known.items(), *pairs)]


def _in_blocks(layers: list[str], names: list[str]) -> Iterator[Pairs]:
    """Yield the orders in which every layer has a name of its block, or outside of all."""
    kinds = [
        _orders(*([one for one in some if block_of(one) == block] for some in (layers, names)))
        for block in dict.fromkeys(map(block_of, layers))
    ]
    ways = ([*chain.from_iterable(way)] for way in product(*kinds))
    return (way for way in ways if len(way) == len(layers))


def _apart(layers: list[str], names: list[str]) -> Iterator[Pairs]:
    """Yield the orders in which some layer has a name of another block, or some have none."""
    # Where there are fewer names than layers, no order in blocks is whole.
    few = len(names) < len(layers)
    if few or len({*map(block_of, (*layers, *names))}) > 1:
        yield from (one for one in _orders(layers, names) if few or _beside(one) < len(one))


def _orders(layers: list[str], names: list[str]) -> Iterator[Pairs]:
    """Yield names for layers, in every order."""
    for order in permutations(names, min(len(layers), len(names))):
        yield [*zip(layers, order, strict=False)]


def _beside(pairs: Pairs) -> int:
    """How many layers have a name of their block."""
    return sum(block_of(layer) == block_of(name) for layer, name in pairs)
