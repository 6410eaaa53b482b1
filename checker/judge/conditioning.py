"""Whether what is right in a trial can be told from rounding.

Where terms cancel, little is left but what was rounded away: with λ near 1, differential
attention to a single key is such a case, and no submission can be held to what comes out.
Such trials are found by stochastic arithmetic (Vignes 1993, A stochastic arithmetic for
reliable scientific computation): the model answer is worked out some times as it is in the
trial's dtype, each time with every operation's result off by as much as a rounding could make it.
What it makes in more than that dtype, as angles are, is off by that much less: whoever makes it
in the dtype alone is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..process.answers import Outcome
from .given import Given
from .kept import Answered, worked_out
from .trials import Finding, Trial
from .truth import FAULTS, made

if TYPE_CHECKING:
    from .examine import Examination

__all__ = ["judged", "kept_by_rounding"]

_Worked = TypeVar("_Worked")

_SAMPLES = 3
# Beyond it are what hides a score and what comes of it, which are to stay what they are.
_HIDING = 1e30
# Without `_` and the `r` of what is turned round: `__rsub__`, `log_softmax`, `sqrt_`.
_ROUNDING = frozenset((
    "add", "addmm", "baddbmm", "bmm", "cos", "cumsum", "div", "dot", "einsum", "elu", "exp",
    "exp2", "gelu", "iadd", "imul", "isub", "layer_norm", "linear", "log", "log1p", "log_softmax",
    "logsumexp", "matmul", "mean", "mm", "mul", "mv", "pow", "prod", "reciprocal", "rsqrt",
    "sigmoid", "silu", "sin", "softmax", "softplus", "sqrt", "square", "std", "sub", "sum", "tanh",
    "truediv", "var",
))  # fmt: skip
# A factor of these may be a number as well.
_TIMES = frozenset(("imul", "mul", "rmul"))


def judged(one: Examination, trial: Trial, answer: Outcome) -> Finding | None:
    """What is wrong with an answer, and is more than rounding."""
    finding = trial.judge(answer)
    if finding is None or finding.kind not in {"values", "gradient"}:
        return finding
    if trial.function.models:
        return finding
    right = one.right
    alike = partial(_alike, trial, trial.bound / 2)
    firm = _firm(trial, partial(_results, right), alike)
    if firm and finding.kind == "gradient":
        # Where one key has nearly all of a row, 1 less its weight is what was rounded away.
        near = partial(_near, trial, finding.name)
        firm = _firm(trial, partial(_gradients, right, trial), near)
    return finding if firm else None


def _firm(
    trial: Trial, work_out: Callable[[Given], _Worked], alike: Callable[[_Worked, _Worked], bool]
) -> bool:
    """Whether what the model answer gives stays right, whatever it rounds in a trial's dtype.

    In float64, too, right code may take a detour through float32.
    """
    own = trial.given.within(trial.dtype)
    noise = torch.Generator().manual_seed(0)
    try:
        right_ones = work_out(own.within(torch.float64))
        for _ in range(_SAMPLES):
            with _Rounded(noise):
                rounded = work_out(own)
            if not alike(rounded, right_ones):
                return False
    except FAULTS:
        return True
    return True


def _exact(factor: object) -> bool:
    """Whether it is a number by which a product is not rounded: a power of two."""
    return isinstance(factor, (int, float)) and math.frexp(abs(factor))[0] == 1 / 2


class _Rounded(TorchFunctionMode):
    """What an operation that rounds gives is off by up to a unit, each number by its own.

    The unit is of the dtype that it gives, in float64 float32's: right code may go through it.
    """

    def __init__(self, noise: torch.Generator) -> None:
        super().__init__()
        self.noise = noise

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Make a call, and round what it gives."""
        result = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "").strip("_")
        rounds = name in _ROUNDING or name.removeprefix("r") in _ROUNDING
        rounds = rounds and not (name in _TIMES and any(map(_exact, args)))
        if not rounds or not isinstance(result, Tensor) or not result.is_floating_point():
            return result
        unit = max(torch.finfo(torch.float32).eps, torch.finfo(result.dtype).eps) / 2
        off = torch.rand(result.shape, generator=self.noise, dtype=torch.float64) * 2 - 1
        noisy = (result.double() * (1 + off * unit)).to(result.dtype)
        return torch.where(result.abs() < _HIDING, noisy, result)


def kept_by_rounding(right: Any, trial: Trial) -> bool:
    """Whether the model answer in a trial's dtype is as in float64."""
    own = trial.given.within(trial.dtype)
    exact = own.within(torch.float64)
    try:
        # Right code errs some times as much: it rounds elsewhere.
        return _alike(trial, trial.bound / 4, _results(right, own), _results(right, exact))
    except RuntimeError:
        # This torch has an operator less in this dtype.
        return True


def _results(right: Any, given: Given) -> tuple[Tensor, ...]:
    with torch.no_grad():
        return made(right, given, named=False).results


def _gradients(right: Any, trial: Trial, given: Given) -> Answered:
    """The gradients of all inputs and weights."""
    upstream = trial.call.grad
    assert upstream is not None
    # Against what the submission's were: with that, too, terms may cancel.
    return worked_out(trial.function, right, given, lambda _: upstream)


def _near(trial: Trial, name: str, rounded: Answered, exact: Answered) -> bool:
    """Whether a gradient, an input's or those of all weights, would be right in a trial."""
    mine, right = {**rounded.weights, **rounded.grads}, {**exact.weights, **exact.grads}
    told = {name} if name in exact.grads else {*exact.weights}
    wrong = trial.wrong_gradients([(one, right[one], mine[one]) for one in right], 1 / 2)
    return not any(one.name in told for one in wrong)


def _alike(
    trial: Trial, bound: float, results: Iterable[Tensor], expected: tuple[Tensor, ...]
) -> bool:
    """Whether results would be right in a trial where these were expected, within a bound."""
    asked = replace(trial, expected=expected, bound=bound, grads={}, weight_grads={})
    outs = [*results]
    many = len(trial.function.results)
    answer = Outcome(out=outs[0], outs=outs, many=many, carried=trial.given.kept)
    return asked.judge(answer) is None
