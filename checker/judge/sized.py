"""How large the calls of a function were, and how they went."""

from __future__ import annotations

from ..diagnose.limits import Sized
from .case import spoken
from .examine import Examination

__all__ = ["sized_calls"]


def sized_calls(one: Examination) -> list[Sized]:
    """The calls in the dtype that values are decided in; none where the kata has no lengths."""
    symbols, named = one.sizes.symbols, spoken(one.function)
    # Another function's lengths say nothing of this one.
    lengths = [symbol for name, symbol in symbols.items() if "length" in name and symbol in named]
    limit = symbols.get("block_size")
    known = {*lengths, symbols.get("batch"), limit}
    told = []
    for trial in one.tried if lengths and "batch" in symbols else ():
        case, finding = trial.case, trial.judge(trial.answer)
        own = max(case.sizes[each] for each in lengths)
        if finding is None and case.schedule and case.after < own and case.large:
            # That a long one is right, behind a short one or none, says nothing of what is kept.
            continue
        # What is continued counts with what came before it, and positions as far as they reach.
        length = max(case.after + own, case.reach + 1)
        told.append(
            Sized(
                batch=case.sizes[symbols["batch"]],
                length=length,
                room=case.sizes[limit] - length if limit is not None else 0,
                kind=finding.kind if finding is not None else "",
                line=finding.fault.line if finding and finding.fault else None,
                widths={n: size for n, size in case.sizes.items() if n not in known},
                masked=case.mask is not None if case.gain == 1 and not case.grad else None,
            )
        )
    return told
