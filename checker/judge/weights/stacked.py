"""Blocks of layers that are alike: which belong together, and one parameter for all of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, permutations

from ....kata.modules import Layer
from .parameter_names import block_of

__all__ = ["every_block", "in_block", "orders", "several"]


def every_block(said: Sequence[str], layers: Sequence[Layer]) -> tuple[str, ...]:
    """Return a block's layers and those that are theirs in all other blocks, block by block."""
    leaves = [one.rpartition(".")[2] for one in said]
    alike: dict[str, dict[str, str]] = {}
    for one in layers:
        leaf = one.name.rpartition(".")[2]
        if block_of(one.name) and leaf in leaves:
            alike.setdefault(block_of(one.name), {})[leaf] = one.name
    whole = [some for some in alike.values() if len(some) == len(leaves)]
    return tuple(some[leaf] for some in whole for leaf in leaves) if len(whole) > 1 else ()


def orders(held: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the orders in which layers may be stacked; blocks, which are counted, keep theirs."""
    blocks: dict[str, dict[str, str]] = {}
    for one in held:
        blocks.setdefault(block_of(one), {})[one.rpartition(".")[2]] = one
    leaves = [tuple(some) for some in blocks.values()]
    if len(blocks) < 2 or len({*leaves}) > 1 or "" in blocks:
        yield from permutations(held)
        return
    for kinds in permutations(leaves[0]):
        yield tuple(some[kind] for some in blocks.values() for kind in kinds)
        if len(kinds) > 1:
            yield tuple(chain.from_iterable([s[kind] for s in blocks.values()] for kind in kinds))


def several(layers: Iterable[str]) -> bool:
    """Whether there are several blocks of layers."""
    return len({*map(block_of, layers)} - {""}) > 1


def in_block(names: Sequence[str], layers: list[str]) -> list[str]:
    """The layers that may lie in parameters of one block: those of that block, if it has some."""
    blocks = {block_of(name) for name in names}
    own = [one for one in layers if {block_of(one)} == blocks]
    return own if "" not in blocks and own else layers
