"""Blocks of layers that are alike: which belong together, and one parameter for all of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, permutations

from ....kata.modules import Layer
from .parameter_names import block_of, said_by

__all__ = ["counted", "every_block", "in_block", "numbered", "orders", "several", "unblocked"]

_NUMBER = re.compile(r"[0-9]+")
# How many letters in a row say nothing, where one beside them says nothing either.
_ROW = 2
# Stands for a letter that is no word here.
_NO_WORD = "-"


def numbered(names: Iterable[str], layers: Sequence[Layer]) -> dict[str, str]:
    """Parameters' names, with their block's number alone before them: `g1_0` is `0.g1_`.

    As they are where that is what they say already, or where no number counts the blocks. Layers
    of a kind that are counted from 0, as `ln_0` and `ln_1`, are called as those counted from 1.
    A letter that would say something among letters that say nothing is one of those.
    """
    raised = _from_one(tuple(names), tuple(layers))
    raised = {name: _unsaid(one, raised.values(), layers) for name, one in raised.items()}
    told = counted(raised.values(), layers)
    said = all(block_of(name) == block_of(other) for name, other in told.items())
    return {name: one if said else told.get(one, one) for name, one in raised.items()}


def _unsaid(name: str, names: Iterable[str], layers: Sequence[Layer]) -> str:
    """A name without a letter that is one of a row: the v of f, g, h and v is no value."""
    letters = {one.split(".", maxsplit=1)[0] for one in names}
    letters = {one for one in letters if len(one) == 1 and one.isalpha()}
    telling = [one for one in letters if said_by(one, layers)]
    first, dot, rest = name.partition(".")
    alone = telling == [first] and len(letters) > _ROW
    return f"{_NO_WORD}{dot}{rest}" if alone else name


@lru_cache(maxsize=256)
def _from_one(names: tuple[str, ...], layers: tuple[Layer, ...]) -> Mapping[str, str]:
    """Names, with the last number a step higher where two of a kind are counted from 0."""
    raised = {name: name for name in names}
    for name in names:
        zero = _last(name, "0")
        one, two = _last(name, "1"), _last(name, "2")
        pair = zero == name and one in raised and two not in raised
        # A number that counts blocks leaves what is said as it is; `norm` alone may say something.
        kinds = [_kinds(which, layers) for which in (zero, one, two)] if pair else []
        if pair and kinds[1] and kinds[2] and all(a != b for a, b in combinations(kinds, 2)):
            raised[zero], raised[one] = one, two
    return raised


def _last(name: str, number: str) -> str:
    """A name with another number for its last one."""
    return re.sub(r"[0-9]+(?=[^0-9]*$)", number, name)


def counted(names: Iterable[str], layers: Sequence[Layer]) -> Mapping[str, str]:
    """The same of the names in which a number counts the blocks: all that have one, or none."""
    return _counted(tuple(names), tuple(layers))


@lru_cache(maxsize=256)
def _counted(names: tuple[str, ...], layers: tuple[Layer, ...]) -> Mapping[str, str]:
    """The same, worked out once: whoever reads weights asks it again and again."""
    blocks = sorted({block_of(one.name) for one in layers} - {""}, key=int)
    if len(blocks) > 1 and (halves := _halves(names, blocks)):
        return halves
    found = {name: [*_NUMBER.finditer(name)] for name in names}
    telling = [bool(numbers) for name, numbers in found.items() if _in_blocks(name, layers)]
    if telling and not any(telling):
        # What holds a layer of all blocks has no number; those of others tell norms apart.
        return {}
    first = {name[: numbers[0].start()] for name, numbers in found.items() if numbers}
    alone = all(numbers[0].group() == block_of(name) for name, numbers in found.items() if numbers)
    # What counts them begins all names alike, as in `h0_ln1`, or ends them, as in `ln1_0`.
    for place in ((0, -1) if alone or len(first) == 1 else (-1, 0)) if len(blocks) > 1 else ():
        kinds: dict[str, dict[int, str]] = {}
        for name, numbers in found.items():
            if numbers:
                start, end = numbers[place].span()
                kind = f"{name[:start]}{name[end:]}".replace("..", ".")
                kinds.setdefault(kind, {})[int(numbers[place].group())] = name
        many = {kind: some for kind, some in kinds.items() if len(some) > 1}
        counts = {tuple(sorted(some)) for some in many.values()}
        if len(counts) == 1 and (count := counts.pop())[0] < 2 and len(count) == len(blocks):
            told = {
                name: f"{blocks[count.index(number)]}.{kind}"
                for kind, some in many.items() for number, name in some.items()
            }  # fmt: skip
            # The number of `fc1` or `ln2` says which layer it is.
            if all(_kinds(name, layers) <= _kinds(other, layers) for name, other in told.items()):
                return told
    return {}


def _halves(names: tuple[str, ...], blocks: Sequence[str]) -> Mapping[str, str]:
    """The same of a list that holds each block's attention and its MLP one after the other."""
    found = {name: _NUMBER.search(name) for name in names}
    counted = {int(number.group()) for number in found.values() if number}
    first = {name[: number.start()] for name, number in found.items() if number}
    alike = [
        {name[number.end() :] for name, number in found.items()
         if number and int(number.group()) % (2 * len(blocks)) == place}
        for place in range(2 * len(blocks))
    ]  # fmt: skip
    if counted != {*range(2 * len(blocks))} or len(first) > 1 or alike[0] == alike[1]:
        return {}
    if any(some != alike[place % 2] for place, some in enumerate(alike)):
        return {}
    told: dict[str, str] = {}
    for name, number in found.items():
        if number:
            block, half = divmod(int(number.group()), 2)
            told[name] = f"{blocks[block]}.{name[: number.start()]}{half + 1}{name[number.end() :]}"
    return told


def _in_blocks(name: str, layers: Sequence[Layer]) -> bool:
    """Whether a name says which of a block's layers it holds."""
    return any(map(block_of, said_by(name, layers)))


def _kinds(name: str, layers: Sequence[Layer]) -> set[str]:
    return {*map(unblocked, said_by(name, layers))}


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


def unblocked(name: str) -> str:
    """What a layer is called in any block."""
    return name.replace(f".{block_of(name)}.", ".")


def several(layers: Iterable[str]) -> bool:
    """Whether there are several blocks of layers."""
    return len({*map(block_of, layers)} - {""}) > 1


def in_block(names: Sequence[str], layers: list[str]) -> list[str]:
    """The layers that may lie in parameters of one block: those of that block, if it has some."""
    blocks = {block_of(name) for name in names}
    own = [one for one in layers if {block_of(one)} == blocks]
    return own if "" not in blocks and own else layers
