"""One parameter for all heads, as where a list of one layer is multiplied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
    """Yield readings in which all heads have a layer in common. Arguments as `readings` has them.

    One object in all places of a list is called after the first; one that stands alone has a
    head's share of what its name says.
    """
    heads = sizes.get(_HEADS, 1) if _HEADS in symbols else 1
    whole = {many * prod(layer.sized(sizes)) for layer in layers for many in _FUSED}
    # A share's bias lies beside it.
    shares = {name.rpartition(".")[0] for name, shape in shapes.items()
              if len(shape) > 1 and heads * prod(shape) in whole} - {""}  # fmt: skip
    owners = {
        name.rpartition(".")[0] for name, shape in shapes.items()
        if len(shape) > 1 and heads * prod(shape) == _wanted(name, layers, sizes)
    } - {""}  # fmt: skip
    # Of a model in blocks, the number that stands first is a block's.
    blocks = any(block_of(layer.name) for layer in layers)
    listed = {
        name: text for name in shapes
        if name.rpartition(".")[0] in shares and (text := _listed(name, shapes))
        and (block_of(text.partition("{}")[0]) or not blocks)
    }  # fmt: skip
    single = {
        name: _numbered(name) for name in shapes
        if name not in listed and name.rpartition(".")[0] in owners
        and not _is_one_of(name, shapes, heads)
    }  # fmt: skip
    ways = [listed, single, listed | single] if listed and single else [listed or single]
    for texts in ways if heads > 1 and (listed or single) else ():
        one = {text.format(at): name for name, text in texts.items() for at in range(heads)}
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
