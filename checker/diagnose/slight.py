"""A penalty that is added to what is hidden and is too slight to change a result."""

from __future__ import annotations

from collections.abc import Sequence

from ...kata.catalogue import Kata
from ..judge.trials import Trial
from ..process.answers import Step
from .pointing import named_steps

__all__ = ["slight_penalty"]

# Of the scores' scale: what is above can be told from rounding, what is below it changes nothing.
_LEAST, _MOST, _ROUNDING = 1e-12, 1e-3, 1e-14


def slight_penalty(kata: Kata, name: str, evidence: Sequence[Trial]) -> Step | None:
    """The step that lowers the hidden scores, and these alone, by one very small number."""
    for trial in evidence:
        right = named_steps(kata, name, (), trial)
        scores, masked = right.get("scores"), right.get("masked_scores")
        if scores is None or masked is None or scores.shape != masked.shape:
            continue
        hidden, scale = masked != scores, scores.abs().max().item()
        for step in trial.answer.steps if hidden.any() and not hidden.all() else ():
            for value in (v for v in step.values if v.shape == scores.shape):
                lowered = (scores - value.double()) / scale
                rest, penalty = lowered[~hidden].abs().max(), lowered[hidden]
                even = (penalty.max() - penalty.min()) <= _ROUNDING
                if rest <= _ROUNDING and even and _LEAST <= penalty.min() <= _MOST:
                    return step
    return None
