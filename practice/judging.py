"""Have files judged: the options as a person gives them, and the reports in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from itertools import chain, groupby
from typing import TYPE_CHECKING

from .targets import Target

if TYPE_CHECKING:
    from ..checker import Bench, Options, Report

__all__ = ["TIMEOUT", "Mask", "Wishes", "reports"]

# Seconds that a submission may take.
TIMEOUT = 20.0


class Mask(str, Enum):
    """What a mask's entries mean."""

    keep = "keep"
    drop = "drop"
    additive = "additive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How a person wants files judged. memory is in MB, 0 for the judge's own choice.

    device: as the judge takes it. heat: whether the attention weights are wanted too.
    one_by_one: begin with a file only when the one before it is done with, as is needed where
    something is timed in between.
    """

    language: str
    class_name: str | None = None
    device: str = "auto"
    mask: Mask = Mask.keep
    seed: int | None = None
    timeout: float = TIMEOUT
    memory: int = 0
    heat: bool = False
    one_by_one: bool = False

    def options(self) -> Options:
        """Return the judge's options, those that it knows."""
        from ..checker import Options

        wanted: dict[str, object] = {
            "class_name": self.class_name,
            "device": self.device,
            "mask": self.mask.value,
            "seed": self.seed,
            "timeout": self.timeout,
            "memory": self.memory << 20,
            "heat": self.heat,
        }
        known = {field.name for field in fields(Options)}
        return Options(**{name: value for name, value in wanted.items() if name in known})  # type: ignore[arg-type]

    def to_type(self) -> tuple[str, ...]:
        """Return the options that judging again on the same inputs needs."""
        typed = self.to_watch()
        if self.device != "auto":
            typed += ("--device", self.device)
        if self.timeout != TIMEOUT:
            typed += ("--timeout", f"{self.timeout:g}")
        if self.memory:
            typed += ("--memory", str(self.memory))
        return typed

    def to_watch(self) -> tuple[str, ...]:
        """Return the options that `watch` needs to judge the same: which class, which mask."""
        typed = ("--class", self.class_name) if self.class_name else ()
        return typed if self.mask is Mask.keep else (*typed, "--mask", self.mask.value)


def reports(bench: Bench, chosen: Sequence[Target], wishes: Wishes) -> Iterator[Report]:
    """Judge files in the order given, neighbours of the same kata side by side.

    The first are begun with at once, whenever their reports are asked for.
    """
    runs = [[target] for target in chosen]
    if not wishes.one_by_one:
        runs = [list(same) for _, same in groupby(chosen, key=lambda target: target.kata.id)]

    def begun(run: Sequence[Target]) -> Iterator[Report]:
        return bench.judge(run[0].kata.id, [target.file for target in run], wishes.options())

    found = chain(begun(runs[0]), chain.from_iterable(map(begun, runs[1:])))
    return (_called(report, target) for report, target in zip(found, chosen, strict=True))


def _called(report: Report, target: Target) -> Report:
    report.file = target.name
    return report
