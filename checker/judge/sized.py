"""How large the calls of a function were, and how they went."""

from __future__ import annotations

from ..diagnose.limits import Sized
from .examine import Examination

__all__ = ["sized_calls"]


def sized_calls(one: Examination, *, masked: bool | None = None) -> list[Sized]:
    """The calls in the dtype that values are decided in; none where the kata has no lengths.

    masked: the plain ones alone, with a mask or without.
    """
    named = {name: symbol for symbol, name in one.sizes.axes.items()}
    lengths = [symbol for name, symbol in named.items() if "length" in name]
    told = []
    for trial in one.tried if lengths and "batch" in named else ():
        case = trial.case
        usual = case.gain == 1 and not case.grad and (case.mask is not None) == masked
        if masked is not None and not usual:
            continue
        sizes, finding = case.sizes, trial.judge(trial.answer)
        told.append(
            Sized(
                batch=sizes[named["batch"]],
                # What is continued counts with what came before it.
                length=case.after + max(sizes[each] for each in lengths),
                kind=finding.kind if finding is not None else "",
                line=finding.fault["line"] if finding and finding.fault else None,
            )
        )
    return told
