"""Objects of one size whose weights are all given, to see what each of them does."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import prod

import torch
from torch import Tensor

from ...process.answers import Outcome
from ...process.handle import Candidate
from ...process.requests import Call, MakeCalls, Series
from ..compare import agree
from ..trials import Trial, answers_of
from .refine import PROBES
from .takes import Shapes

__all__ = ["LEVEL", "SEED", "Objects"]

SEED = 1
# What every weight is at first.
LEVEL = 0.25
_NOTHING = 1e-9


class Objects:
    """Objects of one size, and one call of theirs that derivatives are taken of.

    trial: that call, with the model answer's own weights. series: it, on such an
    object. shapes: those of the submission's weights.
    """

    def __init__(self, trial: Trial, series: Series, candidate: Candidate, shapes: Shapes) -> None:
        self.trial, self.series, self.candidate, self.shapes = trial, series, candidate, shapes
        self.count = sum(map(prod, shapes.values()))
        self.wanted = {name: tuple(weight.shape) for name, weight in trial.given.weights.items()}
        draw = torch.Generator().manual_seed(SEED)
        shape = (PROBES, *trial.expected[0].shape)
        # The outputs are summed with these before derivatives are taken.
        self.sums = torch.randn(shape, generator=draw, dtype=torch.float64)

    @cached_property
    def level(self) -> Tensor | None:
        """The output where all weights are the same; None where it raises."""
        weights = torch.full((self.count,), LEVEL, dtype=torch.float64)
        (answer,) = self._answers(weights, [self.trial.call])
        return next(iter(self.trial.results(answer)), None)

    def derivatives(self, weights: Tensor, probe: int) -> Tensor | None:
        """Derivatives of one sum with respect to all weights, (weights,), None where it raises."""
        call = replace(self.trial.call, grad=self.sums[probe])
        (answer,) = self._answers(weights, [call])
        return None if answer.fault is not None else self._end_to_end(answer)

    def agrees(self, right: Tensor | None) -> bool:
        """Whether this is the output where all weights are the same."""
        if self.level is None or right is None or self.level.shape != right.shape:
            return False
        # What a norm makes of nothing but equal features is nothing, or the rounding of nothing.
        nothing = all(float(one.abs().max()) < _NOTHING for one in (self.level, right))
        return nothing or agree(self.level, right, self.trial.bound)

    def _answers(self, weights: Tensor, calls: list[Call]) -> list[Outcome]:
        parts = weights.split([prod(shape) for shape in self.shapes.values()])
        named = zip(self.shapes.items(), parts, strict=True)
        given = {name: part.reshape(shape) for (name, shape), part in named}
        series = replace(self.series, weights=given, calls=calls)
        result = self.candidate.ask(MakeCalls(series=[series])).results[0]
        return answers_of(result, len(calls))

    def _end_to_end(self, answer: Outcome) -> Tensor:
        grads = answer.grads
        found = [(grads.get(name), prod(shape)) for name, shape in self.shapes.items()]
        return torch.cat([torch.zeros(n) if g is None else g.double().flatten() for g, n in found])
