"""Matrices that hold their layer's bias as one more row: `cat([x, 1]) @ theta`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from torch import Tensor

from ....kata.modules import Layer
from .takes import Shapes

__all__ = ["Bordered", "bordered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bordered:
    """A parameter that holds a matrix and a bias. axis: that of features in; first: the bias is."""

    name: str
    axis: int
    first: bool

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters that it is made of."""
        return (self.name,)

    @property
    def ends(self) -> tuple[str, ...]:
        """The parameters that are biases and nothing else."""
        return ()

    def of(self, values: dict[str, Tensor]) -> dict[str, Tensor]:
        """Cut the matrix, as in `nn.Linear`, and its bias apart."""
        whole = values[self.name].movedim(self.axis, 0)
        bias, weight = (whole[0], whole[1:]) if self.first else (whole[-1], whole[:-1])
        return {f"{self.name}.weight": weight.mT, f"{self.name}.bias": bias}


def bordered(
    shapes: Shapes, layers: Sequence[Layer], rows: Sequence[dict[str, int]], kinds: Sequence[Shapes]
) -> Iterator[tuple[Bordered, ...]]:
    """Yield ways in which matrices may hold their biases, the likeliest first.

    shapes: those at the first size. rows, kinds: sizes, and the shapes at each.
    """
    made = [(kind, _matrices(layers, row)) for kind, row in zip(kinds, rows, strict=True) if kind]
    for first, axis in product((False, True), (0, 1)):
        ways = tuple(
            Bordered(name=name, axis=axis, first=first)
            for name, shape in shapes.items()
            if len(shape) == 2
            and all(_holds(kind.get(name, ()), axis, wanted) for kind, wanted in made)
        )
        if ways:
            yield ways


def _matrices(layers: Sequence[Layer], sizes: dict[str, int]) -> set[tuple[int, ...]]:
    """The shapes of matrices that have a bias, several of one width in one too."""
    shapes = [one.sized(sizes) for one in layers if len(one.shape) == 2 and one.bias]
    taken = {shape[1] for shape in shapes}
    heights = {width: [shape[0] for shape in shapes if shape[1] == width] for width in taken}
    together = {
        (sum(some[at:end]), width)
        for width, some in heights.items()
        for at in range(len(some)) for end in range(at + 1, min(at + 4, len(some) + 1))
    }  # fmt: skip
    return {*shapes, *together}


def _holds(shape: tuple[int, ...], axis: int, wanted: set[tuple[int, ...]]) -> bool:
    return len(shape) == 2 and (shape[1 - axis], shape[axis] - 1) in wanted
