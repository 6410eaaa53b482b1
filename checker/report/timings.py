"""How long a submission takes beside the model answer and the fused kernel: plain data.

Standard library only. Nothing of it has a part in a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .message import Said, said

__all__ = ["LENGTHS", "OTHERS", "SIDES", "Against", "Lap", "Row", "Timings", "against", "row"]

LENGTHS = (64, 128, 256, 512, 1024, 2048)
# What a submission is held against, and all that is timed, in the order in which it is.
OTHERS = ("reference", "fused")
SIDES = ("yours", *OTHERS)


@dataclass(slots=True, kw_only=True)
class Lap:
    """What one call takes: seconds, the median, and bytes of tensors alive at once, the most.

    bytes: beside what was there before the call; None where it was not measured.
    """

    seconds: float
    bytes: int | None = None


@dataclass(slots=True, kw_only=True)
class Against:
    """The submission as a multiple of another side.

    time: the median of the rounds' ratios. low and high: their quartiles. memory: the ratio
    of the bytes; None where they are not known.
    """

    time: float
    low: float
    high: float
    memory: float | None = None


@dataclass(slots=True, kw_only=True)
class Row:
    """One length.

    sides: a lap for yours, reference and, where there is such a kernel, fused. against: the
    others.
    """

    length: int
    rounds: int
    sides: dict[str, Lap]
    against: dict[str, Against]


@dataclass(slots=True, kw_only=True)
class Timings:
    """What was timed: forward in eval mode, or functions, without gradients, dropout or mask.

    functions: their names, called one after another; none for a class. whole: the class could go
    on from an earlier call, and is given all positions at once. sizes: by the names of axes, and
    grows: those that are the length. fused: whether torch has a fused kernel for it.
    hidden_dim and heads are 0 where there are none.
    masked: a mask that hides nothing was handed over, for want of a call without one.
    stopped: why longer lengths are missing: "time" or "memory" (the next would have taken more
    than is spent on this), "raised", "ended" or "forbidden" (what the submission did there),
    or "lost" (the judge's own fault), None where none is.
    at: the length that is missing first.
    message and line: what happened, where it is more than a word.
    """

    device: str = "cpu"
    name: str | None = None
    threads: int = 1
    dtype: str = "float32"
    batch: int = 1
    hidden_dim: int = 0
    heads: int = 1
    masked: bool = False
    functions: list[str] = field(default_factory=list)
    whole: bool = False
    fused: bool = True
    sizes: dict[str, int] = field(default_factory=dict)
    grows: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    stopped: str | None = None
    at: int | None = None
    message: Said = ""
    line: int | None = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Timings:
        """Build it from `dataclasses.asdict`'s form."""
        known = {**data, "message": said(data["message"])}
        known["rows"] = [
            Row(
                length=one["length"],
                rounds=one["rounds"],
                sides={side: Lap(**lap) for side, lap in one["sides"].items()},
                against={side: Against(**ratio) for side, ratio in one["against"].items()},
            )
            for one in data["rows"]
        ]
        return cls(**known)


def row(
    length: int, seconds: Mapping[str, Sequence[float]], taken: Mapping[str, int | None]
) -> Row:
    """Sum a length up. seconds: of every side, a round each. taken: the bytes of every side."""
    from statistics import median

    sides = {side: Lap(seconds=median(laps), bytes=taken[side]) for side, laps in seconds.items()}
    ratios = {
        other: against(seconds["yours"], seconds[other], taken["yours"], taken[other])
        for other in OTHERS
        if other in seconds
    }
    return Row(length=length, rounds=len(seconds["yours"]), sides=sides, against=ratios)


def against(
    mine: Sequence[float], theirs: Sequence[float], bytes_mine: int | None, bytes_theirs: int | None
) -> Against:
    """Hold one side's seconds, round by round, and bytes against another's."""
    low, middle, high = _quartiles([one / other for one, other in zip(mine, theirs, strict=True)])
    memory = None
    if bytes_mine is not None and bytes_theirs:
        memory = bytes_mine / bytes_theirs
    return Against(time=middle, low=low, high=high, memory=memory)


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    if len(values) == 1:
        return values[0], values[0], values[0]
    from statistics import quantiles

    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high
