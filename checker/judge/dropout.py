"""Where a module's dropouts act, read from what torch's dropout is called with in train mode."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from torch import Tensor

from ..diagnose.milestones import find
from ..process.answers import Dropout, Step
from .dropout_finding import SAME_RATE, DropoutFinding, says_output

__all__ = ["read_dropout"]

# Which place is told of where there are several: what is wrong first.
_ORDER = ("scores", "other", "weights", "beside", "residual", "output", "unknown")


def read_dropout(
    calls: Sequence[Dropout], steps: dict[str, Tensor], beside: Collection[str], asked: float | None
) -> DropoutFinding:
    """Say what the dropouts of one call do, of which none dropped anything.

    steps: what the model answer names on the way, in order. beside: those of its steps that
    dropout may act on beside the weights. asked: the rate that the constructor was given.
    """
    active = {n: one for n, one in enumerate(calls) if one.training and one.p > 0}
    if not active:
        return DropoutFinding(place="none", calls=[*calls], asked=asked)
    found = [(_place(one, steps, beside), one) for one in active.values()]
    known = all(place != "unknown" for place, _ in found)
    alone = [n for n, (place, _) in zip(active, found, strict=True) if place == "weights" and known]
    if any(place == "weights" for place, _ in found):
        # Beside attention's own dropout, one on the output is fine whatever it is called.
        found = [("beside" if place == "output" else place, one) for place, one in found]

    def rank(row: tuple[str, Dropout]) -> tuple[int, bool]:
        place, one = row
        right = asked is None or abs(one.p - asked) <= SAME_RATE
        return _ORDER.index(place), right

    off = [row for row in found if row[0] in {"weights", "beside"} and not rank(row)[1]]
    worst = [row for row in found if row[0] in {"scores", "other"}]
    place, one = min(worst or off or found, key=rank)
    return DropoutFinding(
        place=place, calls=[*calls], p=one.p, asked=asked, line=one.line, alone=(*alone,)
    )


def _place(call: Dropout, steps: dict[str, Tensor], beside: Collection[str]) -> str:
    """What a dropout acts on: weights, beside, output, residual, scores, other or unknown."""
    given = call.input
    if not isinstance(given, Tensor):
        return "unknown"
    held = [
        Step(call="dropout", line=call.line, numbers=[], shapes=[], shape=call.shape, lines=[],
             weights=[], dtype=None, values=[given]),
    ]  # fmt: skip
    name = next((n for n in _ordered(steps, beside) if find(steps[n], held)), "")
    if name in beside:
        return "beside"
    if name == "output":
        return "residual" if says_output(call.module) else "output"
    if name in _before_softmax(steps):
        return "scores"
    return name if name == "weights" else "other" if name else "unknown"


def _ordered(steps: dict[str, Tensor], beside: Collection[str]) -> Iterator[str]:
    """The steps that hold floats, those first where dropout may act."""
    floats = [name for name, value in steps.items() if value.is_floating_point()]
    yield from (name for name in floats if name == "weights" or name in beside)
    yield from (name for name in floats if name != "weights" and name not in beside)


def _before_softmax(steps: dict[str, Tensor]) -> list[str]:
    """The steps before the weights that have their shape: scores, scaled or not, masked or not."""
    names = list(steps)
    if "weights" not in names:
        return []
    before = names[: names.index("weights")]
    return [name for name in before if steps[name].shape == steps["weights"].shape]
