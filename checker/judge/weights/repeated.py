"""One parameter for all heads, or all blocks, as where a list of one layer is multiplied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import prod

from ....kata.modules import Layer
from .parameter_names import block_of, said_by
from .readings import readings
from .takes import Reading, Shapes, Take

__all__ = ["repeated"]

_HEADS = "H"
_MOST = 100
# How many layers a share may be of.
_FUSED = (1, 2, 3)
# The number of the first of a list.
_FIRST = re.compile(r"(?<=\.)0(?=\.|$)")


def repeated(
    shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], linear: frozenset[str], *,
    symbols: Sequence[str] = (),
) -> Iterator[Reading]:  # fmt: skip
    """Yield readings in which all heads, or blocks, have a layer in common.

    One object in all places of a list is called after the first; one that stands alone has a
    head's share of what its name says. Arguments as `readings` has them.
    """
    heads = sizes.get(_HEADS, 1) if _HEADS in symbols else 1
    blocks = len({block_of(layer.name) for layer in layers} - {""})
    listed = {name: text for name in shapes if (text := _listed(name, shapes))}
    # Of a model in blocks, the number that stands first is a block's.
    first = {name: text for name, text in listed.items()
             if blocks and not block_of(text.partition("{}")[0])}  # fmt: skip
    read = partial(_read, shapes=shapes, layers=layers, sizes=sizes, linear=linear, symbols=symbols)
    listed = {name: text for name, text in listed.items() if name not in first}
    for texts in _of_heads(shapes, layers, sizes, listed, heads) if heads > 1 else ():
        yield from read(texts, heads)
    if blocks > 1 and first:
        yield from read(first, blocks)


def _of_heads(
    shapes: Shapes,
    layers: Sequence[Layer],
    sizes: dict[str, int],
    listed: Mapping[str, str],
    heads: int,
) -> list[dict[str, str]]:
    """Which parameters may stand for one of each head, with a place for its number.

    Those in lists, those that stand alone, and both.
    """
    whole = {many * prod(layer.sized(sizes)) for layer in layers for many in _FUSED}
    thick = {name: heads * prod(shape) for name, shape in shapes.items() if len(shape) > 1}
    # A share's bias lies beside it.
    own = {_owner(name) for name, size in thick.items() if size in whole}
    said = {_owner(name) for name, size in thick.items() if size == _wanted(name, layers, sizes)}
    shared = {name: text for name, text in listed.items() if _owner(name) in own - {""}}
    single = {
        name: _numbered(name) for name in shapes
        if name not in listed and _owner(name) in said - {""}
        and not _is_one_of(name, shapes, heads)
    }  # fmt: skip
    ways = [shared, single, shared | single] if shared and single else [shared or single]
    return [one for one in ways if one]


def _read(
    texts: Mapping[str, str], many: int, *, shapes: Shapes, layers: Sequence[Layer],
    sizes: dict[str, int], linear: frozenset[str], symbols: Sequence[str],
) -> Iterator[Reading]:  # fmt: skip
    """Readings in which some parameters stand for so many each."""
    one = {text.format(at): name for name, text in texts.items() for at in range(many)}
    own = {name: name for name in shapes if name not in texts} | one
    known = {other: shapes[name] for other, name in own.items()}
    plain = frozenset(other for other, name in own.items() if name in linear)
    for reading in islice(readings(known, layers, sizes, plain, symbols=symbols), _MOST):
        if not any({*take.names} & {*one} and len({own[n] for n in take.names}) > 1
                   for take in reading):  # fmt: skip
            yield tuple(_once(take, own) for take in reading)


def _once(take: Take, own: Mapping[str, str]) -> Take:
    """A take of parameters that stand for one, as a take of that one."""
    names, biases = (tuple(dict.fromkeys(own[n] for n in many))
                     for many in (take.names, take.biases))  # fmt: skip
    times = _HEADS if len(names) < len(take.names) else ""
    return replace(take, names=names, biases=biases, times=times)


def _listed(name: str, shapes: Shapes) -> str:
    """A parameter's name with a place for the number of a list that has nothing else in it."""
    for found in reversed([*_FIRST.finditer(name)]):
        before, after = name[: found.start()], name[found.end() :]
        if not any(other.startswith(f"{before}1") for other in shapes):
            return f"{before}{{}}{after}"
    return ""


def _owner(name: str) -> str:
    """What holds a parameter."""
    return name.rpartition(".")[0]


def _is_one_of(name: str, shapes: Shapes, many: int) -> bool:
    """Whether a parameter is in a list that has as many of its kind."""
    parts = name.split(".")
    numbers = [at for at, part in enumerate(parts) if part.isdigit()]
    others = ([[*parts[:at], str(n), *parts[at + 1 :]] for n in range(many)] for at in numbers)
    return any(all(".".join(one) in shapes for one in some) for some in others)


def _numbered(name: str) -> str:
    """The same of a parameter that is in no list: its owner would be."""
    owner, _, leaf = name.rpartition(".")
    return f"{owner}.{{}}.{leaf}"


def _wanted(name: str, layers: Sequence[Layer], sizes: dict[str, int]) -> int:
    """How many numbers the layers have that a name speaks of."""
    said = said_by(name, layers)
    return sum(prod(one.sized(sizes)) for one in layers if one.name in said)
