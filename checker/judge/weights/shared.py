"""One parameter for a layer of all blocks, as where its name lacks the block's number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice

from ....kata.modules import Layer
from .parameter_names import block_of, said_by
from .readings import readings
from .stacked import counted, numbered, unblocked
from .takes import Reading, Shapes, Take

__all__ = ["shared"]

_MOST = 600


def shared(
    shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], linear: frozenset[str], *,
    symbols: Sequence[str] = (),
) -> Iterator[Reading]:  # fmt: skip
    """Yield readings in which blocks have a layer in common. Arguments as `readings` has them."""
    numbers = counted(shapes, layers)
    told = numbered(shapes, layers)
    said = {name: said_by(told[name], layers) for name in shapes}
    # One object in several blocks is called after the first of them.
    several = {name for name in shapes if name not in numbers and not block_of(name)}
    alone = [said[name] for name in several]
    common = {unblocked(one) for many in alone for one in many if block_of(one)}
    known = {unblocked(one) for many in said.values() for one in many}
    norms = (one.name for one in layers if len(one.shape) == 1 and block_of(one.name))
    unsaid = [kind for kind in dict.fromkeys(map(unblocked, norms)) if kind not in known]
    blocks = [*dict.fromkeys(block_of(one.name) for one in layers if block_of(one.name))]
    # As the first block's they have its biases beside them.
    called = {
        name: f"{blocks[0]}.{name}" if name in several and any(map(block_of, said[name])) else name
        for name in shapes
    }  # fmt: skip
    first = {called[name]: shape for name, shape in shapes.items()}
    plain = frozenset(called.get(name, name) for name in linear)
    own = {other: name for name, other in called.items()}
    for some in chain.from_iterable(combinations(unsaid, n) for n in range(len(unsaid) + 1)):
        kinds = common.union(some)
        left = [
            one for one in layers
            if unblocked(one.name) not in kinds or block_of(one.name) == blocks[0]
        ]  # fmt: skip
        if numbers and kinds:
            for reading in islice(readings(first, left, sizes, plain, symbols=symbols), _MOST):
                many = (_in_all(take.called(own), kinds, blocks, numbers) for take in reading)
                yield tuple(chain.from_iterable(many))


def _in_all(
    take: Take, kinds: set[str], blocks: Sequence[str], numbers: Mapping[str, str]
) -> Iterator[Take]:
    """What holds layers of the first block that all have in common holds theirs as well.

    A bias may be each block's own all the same.
    """
    first, named = f".{blocks[0]}.", {other: name for name, other in numbers.items()}
    if not kinds.issuperset(map(unblocked, take.layers)):
        yield take
        return
    for block in blocks:
        beside = {name: block + numbers.get(name, "")[len(blocks[0]) :] for name in take.biases}
        yield replace(
            take, layers=tuple(one.replace(first, f".{block}.") for one in take.layers),
            biases=tuple(named.get(other, name) for name, other in beside.items()),
        )  # fmt: skip
