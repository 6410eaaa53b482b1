"""The sizes that are tried: each symbol's values, those worked out from others, and axis names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .arithmetic import NotASum, worth
from .modules import BadContract

__all__ = ["Sizes", "read_sizes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes that are tried. values: by symbol. worked: sums of others. axes: their names.

    large: sizes as people use them, each row with what it has otherwise than the first.
    """

    values: dict[str, tuple[int, ...]]
    worked: dict[str, str] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    large: tuple[dict[str, int], ...] = ()

    @property
    def symbols(self) -> dict[str, str]:
        """The symbol of each axis, by the axis's name."""
        return {name: symbol for symbol, name in self.axes.items()}

    def row(self, picks: Mapping[str, int]) -> dict[str, int]:
        """Return all sizes, given those that are not worked out; any other is worked out anew."""
        sizes = dict(picks)
        for symbol, text in self.worked.items():
            sizes[symbol] = worth(text, sizes)
        return sizes

    def first(self) -> dict[str, int]:
        """The sizes of the first case, of which no two are equal."""
        return self.row({symbol: values[0] for symbol, values in self.values.items()})

    def but(self, picks: Mapping[str, int]) -> dict[str, int]:
        """The sizes of the first case, but for these."""
        return self.row({**self.first(), **picks})

    def rows(self) -> Iterator[dict[str, int]]:
        """Yield the first sizes, then every value of each symbol in turn, others moving along."""
        yield self.first()
        most = max((len(values) for values in self.values.values()), default=0)
        for turn in range(1, most):
            # Shifted against one another, so that equal places do not always meet.
            yield self.row({
                symbol: values[(turn + shift * (turn > 1)) % len(values)]
                for shift, (symbol, values) in enumerate(self.values.items())
            })  # fmt: skip
        for symbol, values in self.values.items():
            for value in values[1:]:
                picks = {other: many[0] for other, many in self.values.items()}
                yield self.row({**picks, symbol: value})

    def large_rows(self) -> Iterator[dict[str, int]]:
        """Yield the sizes that people use: right code up to some size is wrong code."""
        yield from map(self.but, self.large)


def read_sizes(
    values: Mapping[str, Any], axes: Mapping[str, str], large: Sequence[Mapping[str, int]] = ()
) -> Sizes:
    """Read `[sizes]`, `[axes]` and `[[large]]`. Raise BadContract where they do not fit."""
    plain = {name: tuple(v) for name, v in values.items() if isinstance(v, list)}
    worked = {name: v for name, v in values.items() if isinstance(v, str)}
    if not plain or not all(all(isinstance(n, int) and n > 0 for n in v) for v in plain.values()):
        raise BadContract("[sizes] gives each symbol a list of whole numbers, or a sum of others")
    unknown = {symbol for row in large for symbol in row} - set(plain)
    if unknown:
        raise BadContract(f"[[large]] speaks of {', '.join(sorted(unknown))}, no size of its own")
    sizes = Sizes(values=plain, worked=worked, axes=dict(axes), large=tuple(map(dict, large)))
    try:
        first = sizes.first()
    except NotASum as fault:
        raise BadContract(f"[sizes]: {fault}") from None
    if set(axes) != set(first):
        raise BadContract(f"[axes] names {sorted(axes)} and [sizes] has {sorted(first)}")
    return sizes
