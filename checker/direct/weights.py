"""Which of a submission's weights is which of the model answer's: readings, to be tried.

A name proposes; the judge keeps the reading under which the model answer gives what the
submission gave. What names do not say is gone through: order, orientation, how several layers
are stacked in one parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations, product
from math import prod

import torch
from torch import Tensor

from ...kata.arithmetic import names as names_in
from ...kata.arithmetic import worth
from ...kata.modules import Layer
from .parameter_names import biases_of, is_bias, said_by

__all__ = ["Reading", "Shapes", "Take", "drawn", "fitted", "readings", "tables"]

Shapes = dict[str, tuple[int, ...]]
_MOST = 4
_ASSIGNMENTS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Layers of the model answer, the parameters that hold them, and how they lie there.

    order: how a parameter's axes are turned before its first `rows` are the features; () as it
    is. beside: several parameters stand side by side. parts: a size; the layers' rows alternate
    in as many parts, "" where one follows the other. biases: the parameters of their biases.
    """

    layers: tuple[str, ...]
    names: tuple[str, ...]
    order: tuple[int, ...] = ()
    rows: int = 1
    beside: bool = False
    parts: str = ""
    biases: tuple[str, ...] = ()


Reading = tuple[Take, ...]
_Unit = tuple[tuple[str, ...], tuple[str, ...]]


def drawn(shapes: Shapes, gain: float, generator: torch.Generator) -> dict[str, Tensor]:
    """Draw every weight in float64, at a scale that makes attention sharp; see `cases`."""
    found: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        scale = gain / max(shape) ** 0.5 if len(shape) > 1 else 0.5
        found[name] = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    return found


def tables(
    reading: Reading, shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], *,
    loose: bool = False,
) -> dict[str, Tensor] | None:  # fmt: skip
    """Return where each weight of the model answer lies in the submission's, laid end to end.

    Index -1 stands for what the submission has not. None where the shapes do not allow it.
    loose: take whatever shapes there are.
    """
    places, start = {}, 0
    for name, shape in shapes.items():
        places[name] = torch.arange(start, start + prod(shape)).reshape(shape)
        start += prod(shape)
    by_name = {layer.name: layer for layer in layers}
    found: dict[str, Tensor] = {}
    for take in fitted(reading, shapes):
        wanted = [tuple(worth(axis, sizes) for axis in by_name[n].shape) for n in take.layers]
        pieces = _pieces(take, places, wanted, sizes, loose=loose)
        if pieces is None:
            return None
        for layer, (weight, bias) in zip(take.layers, pieces, strict=True):
            found[f"{layer}.weight"] = weight
            if by_name[layer].bias:
                found[f"{layer}.bias"] = bias
    for layer in layers:
        shape = [worth(axis, sizes) for axis in layer.shape]
        found.setdefault(f"{layer.name}.weight", torch.full(shape, -1))
        if layer.bias:
            found.setdefault(f"{layer.name}.bias", torch.full(shape[:1], -1))
    return found


def fitted(reading: Reading, shapes: Shapes) -> Reading:
    """Bring a reading to other sizes: a list of layers is as long as it is there."""
    return tuple(
        replace(take, names=_numbered(take.names, shapes), biases=_numbered(take.biases, shapes))
        for take in reading
    )


def _numbered(names: tuple[str, ...], shapes: Shapes) -> tuple[str, ...]:
    if len(names) < 2:
        return names
    alike = re.compile(re.sub(r"[0-9]+", "[0-9]+", re.escape(names[0])))
    return tuple(name for name in shapes if alike.fullmatch(name))


def _pieces(
    take: Take, places: dict[str, Tensor], wanted: list[tuple[int, ...]], sizes: dict[str, int], *,
    loose: bool,
) -> list[tuple[Tensor, Tensor]] | None:  # fmt: skip
    """Cut a take's parameters into the weight and bias of each of its layers."""
    held = [places[name] for name in take.names]
    if len(wanted[0]) == 1:
        bias = _bias(take, places, held[0].numel())
        same = held[0].numel() == wanted[0][0] or loose
        return [(held[0].flatten(), bias)] if same else None
    matrices: list[Tensor] = []
    for one in held:
        turned = one.permute(take.order) if take.order else one
        matrices.append(turned.reshape(prod(turned.shape[: take.rows]), -1))
    if len({m.shape[0 if take.beside else 1] for m in matrices}) > 1:
        return None
    whole = torch.cat(matrices, dim=1 if take.beside else 0)
    heights = [shape[0] for shape in wanted]
    if whole.shape != (sum(heights), wanted[0][1]):
        if not loose or whole.shape[0] % len(heights):
            return None
        heights = [whole.shape[0] // len(heights)] * len(heights)
    bias = _bias(take, places, whole.shape[0])
    parts = worth(take.parts, sizes) if take.parts else 1
    if any(height % parts for height in heights):
        return None
    cut = [height // parts for height in heights]
    rows = whole.reshape(parts, sum(cut), whole.shape[1]).split(cut, dim=1)
    ends = bias.reshape(parts, sum(cut)).split(cut, dim=1)
    return [
        (weight.reshape(-1, whole.shape[1]), end.flatten())
        for weight, end in zip(rows, ends, strict=True)
    ]


def _bias(take: Take, places: dict[str, Tensor], height: int) -> Tensor:
    held = [places[name].flatten() for name in take.biases]
    whole = torch.cat(held) if held else torch.empty(0, dtype=torch.long)
    return whole if len(whole) == height else torch.full((height,), -1)


# -- proposals -------------------------------------------------------------------------------


def readings(
    shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], linear: frozenset[str], *,
    symbols: Sequence[str] = (), loose: bool = False,
) -> Iterator[Reading]:  # fmt: skip
    """Yield ways to read a submission's parameters, the likeliest first.

    linear: weights whose rows are known to be features. symbols: sizes in whose number stacked
    layers may alternate. loose: names alone count, whatever the shapes.
    """
    vectors = [one for one in layers if len(one.shape) == 1]
    matrices = [one for one in layers if len(one.shape) > 1]
    # A norm's weight may have axes of size 1 before it.
    thin = {n for n, shape in shapes.items()
            if len(shape) == 1 or (vectors and sum(size > 1 for size in shape) < 2)}  # fmt: skip
    biases = [n for n, shape in shapes.items()
              if is_bias(n, 1 if n in thin else len(shape), layers)]  # fmt: skip
    weights = {n: shape for n, shape in shapes.items() if n not in biases}
    wanted = {one.name: prod(worth(axis, sizes) for axis in one.shape) for one in layers}
    flat = {n: shape for n, shape in weights.items() if n in thin}
    thick = {n: shape for n, shape in weights.items() if n not in thin}
    if not loose and len(flat) < sum(not one.extra for one in vectors):
        return
    for units in islice(_assignments(thick, matrices, wanted, loose=loose), _ASSIGNMENTS):
        for norms in _norms(flat, vectors):
            options = [
                list(
                    _forms(
                        unit,
                        shapes,
                        layers,
                        sizes,
                        linear=linear,
                        symbols=symbols,
                        biases=biases,
                        loose=loose,
                    )
                )
                for unit in units
            ]
            ends = tuple(
                Take(
                    layers=(layer,),
                    names=(name,),
                    biases=biases_of((name,), (layer,), biases, layers),
                )
                for layer, name in norms
            )
            for chosen in product(*options):
                yield (*chosen, *ends)


def _norms(flat: Shapes, vectors: list[Layer]) -> Iterator[list[tuple[str, str]]]:
    """Yield which vector is which norm's: by name, then in every order."""
    said = {name: layer for name in flat if len(found := said_by(name, vectors)) == 1
            for layer in found}  # fmt: skip
    fixed = {layer: name for name, layer in reversed(said.items())}
    rest = [one.name for one in vectors if one.name not in fixed]
    names = [name for name in flat if name not in fixed.values()]
    for order in permutations(names, min(len(rest), len(names))):
        yield [*fixed.items(), *zip(rest, order, strict=False)]


def _assignments(
    thick: Shapes, layers: list[Layer], wanted: dict[str, int], *, loose: bool
) -> Iterator[list[_Unit]]:
    groups: dict[str, list[str]] = {}
    for name, shape in thick.items():
        groups.setdefault(f"{re.sub(r'[0-9]+', '#', name)} {shape}", []).append(name)
    named: list[_Unit] = []
    free: list[list[str]] = []
    taken: set[str] = set()
    for names in groups.values():
        many = [names] if _whole(names, thick, layers, wanted) else [[name] for name in names]
        for some in many:
            said = said_by(some[0], layers)
            size = sum(prod(thick[name]) for name in some)
            fits = loose or size == sum(wanted[layer] for layer in said)
            if said and fits and not taken & set(said):
                named.append((said, tuple(some)))
                taken.update(said)
            else:
                free.append(some)
    left = [layer.name for layer in layers if layer.name not in taken]
    for rest in _spread(free, left, thick, wanted, loose=loose):
        units = [*named, *rest]
        if loose or {n for held, _ in units for n in held} == {one.name for one in layers}:
            # Stacked layers in every order, as they are named first.
            for order in product(*(permutations(held) for held, _ in units)):
                yield [(held, names) for held, (_, names) in zip(order, units, strict=True)]


def _whole(names: list[str], thick: Shapes, layers: list[Layer], wanted: dict[str, int]) -> bool:
    """Whether parameters of one name and many numbers are pieces of one layer."""
    if len(names) == 1:
        return True
    size = prod(thick[names[0]])
    said = said_by(names[0], layers)
    if said:
        return all(said_by(name, layers) == said for name in names)
    return size not in wanted.values() and any(size * len(names) == w for w in wanted.values())


def _spread(
    free: list[list[str]], left: list[str], thick: Shapes, wanted: dict[str, int], *, loose: bool
) -> Iterator[list[_Unit]]:
    """Yield ways to give what no name tells apart to the layers that are left."""
    if not free or not left:
        yield []
        return
    some, *rest = free
    size = sum(prod(thick[name]) for name in some)
    many = [held for count in range(1, min(_MOST, len(left)) + 1)
            for held in combinations(left, count)]  # fmt: skip
    fitting = [held for held in many if sum(wanted[layer] for layer in held) == size]
    for held in fitting or [(layer,) for layer in left if loose]:
        after = [layer for layer in left if layer not in held]
        for more in _spread(rest, after, thick, wanted, loose=loose):
            yield [(held, tuple(some)), *more]
    if not loose:
        yield from _spread(rest, left, thick, wanted, loose=loose)


def _forms(
    unit: _Unit, shapes: Shapes, layers: Sequence[Layer], sizes: dict[str, int], *,
    linear: frozenset[str], symbols: Sequence[str], biases: Sequence[str], loose: bool,
) -> Iterator[Take]:  # fmt: skip
    """Yield ways in which parameters can hold layers, as their shapes allow."""
    held, names = unit
    by_name = {layer.name: layer for layer in layers}
    wanted = [tuple(worth(axis, sizes) for axis in by_name[layer].shape) for layer in held]
    many = len(shapes[names[0]])
    beside = biases_of(names, held, biases, layers)
    orders: Iterable[tuple[int, ...]] = [(0, 1), (1, 0)]
    if set(names) <= linear or (loose and names[0].endswith("weight")):
        orders = [(0, 1)]
    elif many > 2:
        orders = permutations(range(many))
    elif not names[0].endswith("weight"):
        orders = [(1, 0), (0, 1)]
    alternating = _alternating([by_name[layer] for layer in held], symbols, wanted)
    places = {name: torch.empty(shapes[name], dtype=torch.long) for name in (*names, *beside)}
    for order in orders:
        for rows in range(1, many):
            for side in (False, True) if len(names) > 1 else (False,):
                for parts in alternating:
                    take = Take(
                        layers=held, names=names, order=order, rows=rows, beside=side,
                        parts=parts, biases=beside,
                    )  # fmt: skip
                    if _pieces(take, places, wanted, sizes, loose=loose) is not None:
                        yield take


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
