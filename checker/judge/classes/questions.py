"""What is asked of a class: weights, inputs and masks that are drawn, and the right answers.

Each is drawn from the seed and from what it is for, not from what was drawn before it. So a
file that is saved again, under the same seed, is asked the same questions, and their answers
are there already. Nothing of a submission's own answers is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import torch
from torch import Tensor

from ....kata.catalogue import Kata
from ...process.wire import dtype_name
from ..compare import VALUE_BOUND
from . import masks
from .cases import Case, draw_inputs, draw_weights
from .fitting import Fitted
from .plan import Size
from .trials import Trial, work_out
from .truth import Roles, Truth, numel

__all__ = ["Drawn", "Questions"]

# A check draws a dozen; a file on watch is asked with the same for as long as its weights are.
_MOST = 48
# A mask as the reference takes it, the rows that count, and the mask as it is handed over.
_Mask = tuple[Tensor | None, Tensor | None, Tensor | None]


@dataclass(slots=True, kw_only=True, eq=False)
class Drawn:
    """Weights at one size, the reference that has them, and the calls that were made up for them.

    gain: the scale at which the weights were drawn.
    """

    size: Size
    gain: float
    roles: Roles
    weights: dict[str, Tensor]
    truth: Truth
    trials: dict[Hashable, Trial] = field(default_factory=dict)

    def answer(self, trials: list[Trial]) -> None:
        """Work out the right answers that are not there yet, of many trials at once."""
        fresh = [trial for trial in trials if not trial.answered]
        for trial in fresh:
            if trial.case.grad:
                _work_out_gradients(trial, self.truth, self.roles)
        work_out(self.truth, [trial for trial in fresh if not trial.case.grad])


_DRAWN: OrderedDict[Hashable, Drawn] = OrderedDict()


class Questions:
    """The questions that one fitted class is asked.

    convention: what a mask means, "keep", "drop" or "additive".
    """

    def __init__(self, kata: Kata, fitted: Fitted, convention: str) -> None:
        self.kata = kata
        self.fitted = fitted
        self.convention = convention
        self.seed = fitted.draw.initial_seed()
        # All that a question depends on, beside what it is for and the weights it is asked with.
        self.asked = (
            kata.id, self.seed, convention, fitted.work, fitted.skip, repr(fitted.binding)
        )  # fmt: skip

    def draw(self, size: Size, gain: float, dtype: torch.dtype | None = None) -> Drawn | None:
        """Draw weights; None where the class has none at this size, or they have no roles.

        dtype: what they are rounded to, the one that values are decided in unless given.
        """
        shapes, roles = self.fitted.shapes(size), self.fitted.roles(size)
        if not shapes or roles is None:
            return None
        rounded = dtype or self.fitted.work
        label = (*self.asked, size, gain, rounded, tuple(shapes.items()), roles.content)

        def make() -> Drawn:
            weights = draw_weights(shapes, size.hidden, gain, self._generator(size, gain))
            if rounded is not torch.float64:
                weights = {name: w.to(rounded).double() for name, w in weights.items()}
            truth = Truth(self.kata, size)
            truth.load(roles, roles.flatten(weights))
            return Drawn(size=size, gain=gain, roles=roles, weights=weights, truth=truth)

        return _kept(label, make)

    def pose(
        self,
        drawn: Drawn,
        case: Case,
        *,
        form: str = "",
        mask_dtype: torch.dtype = torch.int64,
        dtype: torch.dtype | None = None,
        bound: float = VALUE_BOUND,
        again: bool = False,
    ) -> Trial:
        """Draw a case's inputs and mask, and write the call; its answer is not worked out.

        dtype: what the inputs are rounded to, the one that values are decided in unless given.
        again: whether other values are meant than the first time.
        """
        dtype = dtype or self.fitted.work
        label = (case, form, mask_dtype, dtype, bound, again)
        if label in drawn.trials:
            return drawn.trials[label]
        generator = self._generator(drawn.size, drawn.gain, *label)
        inputs = self._draw_inputs(drawn.size, case, dtype, generator)
        mask = self.draw_mask(case, drawn.size, form, mask_dtype, dtype, generator)
        call = self._call(drawn.size, case, inputs, mask, generator)
        right, keep, _ = mask
        drawn.trials[label] = Trial(
            case=case,
            size=drawn.size,
            call=call,
            inputs=inputs,
            mask=right,
            bound=bound,
            keep=keep,
            mask_form=form,
            mask_dtype=dtype_name(mask_dtype),
            dtype=dtype,
        )
        return drawn.trials[label]

    def ask(self, drawn: Drawn, case: Case, **how: Any) -> Trial:
        """The same, with its answer."""
        trial = self.pose(drawn, case, **how)
        drawn.answer([trial])
        return trial

    def draw_mask(
        self,
        case: Case,
        size: Size,
        form: str,
        mask_dtype: torch.dtype,
        work: torch.dtype,
        generator: torch.Generator,
    ) -> _Mask:
        """Draw a case's mask; without one the third may be there, where something stands for it."""
        if case.mask is None:
            return None, None, self.fitted.none_mask(case, work)
        axes = (case.batch, size.heads, case.queries, case.keys)
        mask = masks.draw(case.mask, form, axes, generator)
        keep = masks.full_rows(mask, case.queries).expand(case.batch, -1, -1)
        dressed = masks.dress(mask, form, self.convention, mask_dtype, work)
        return masks.for_reference(mask, self.kata.contract.masks, axes), keep, dressed

    def _generator(self, *label: object) -> torch.Generator:
        return torch.Generator().manual_seed(crc32(repr((self.seed, *label)).encode()))

    def _draw_inputs(
        self, size: Size, case: Case, dtype: torch.dtype, generator: torch.Generator
    ) -> dict[str, Tensor]:
        binding = self.fitted.binding
        inputs = draw_inputs(case, binding, size.hidden, generator, cross=self.fitted.cross)
        if dtype is torch.float64:
            return inputs
        return {name: tensor.to(dtype).double() for name, tensor in inputs.items()}

    def _call(
        self,
        size: Size,
        case: Case,
        inputs: dict[str, Tensor],
        mask: _Mask,
        generator: torch.Generator,
    ) -> dict[str, Any]:
        right, keep, dressed = mask
        shape = [case.batch, case.queries, size.hidden]
        extra: dict[str, Any] = {}
        if right is not None and dressed is not None:
            extra["mask_layout"] = {"strided": case.strided and dressed.dim() > 1}
        if case.grad:
            upstream = torch.randn(shape, generator=generator, dtype=torch.float64)
            extra["grad"] = upstream if keep is None else upstream * keep
        strided = tuple(inputs) if case.strided else ()
        return self.fitted.binding.forward.call(
            inputs, dressed, shape=shape, train=case.train, strided=strided, **extra
        )


def _work_out_gradients(trial: Trial, truth: Truth, roles: Roles) -> None:
    """Work out the answer and every gradient of its sum with the call's upstream."""
    leaves = {name: t.clone().requires_grad_(True) for name, t in trial.inputs.items()}
    truth.module.zero_grad()
    for held in truth.extra_output or ():
        held.grad = None
    out = truth.run(leaves, trial.mask)
    (out * trial.call["grad"]).sum().backward()
    trial.expected = out.detach()
    trial.input_grads = {n: t.grad for n, t in leaves.items() if t.grad is not None}
    trial.parameter_grads = {}
    flat = truth.gradients(roles)
    start = 0
    for name, shape in roles.shapes.items():
        count = numel(shape)
        trial.parameter_grads[name] = flat[start : start + count].reshape(shape)
        start += count


def _kept(label: Hashable, make: Callable[[], Drawn]) -> Drawn:
    """What was drawn under this label before, or what is drawn now; the latest stay."""
    if label not in _DRAWN:
        _DRAWN[label] = make()
        if len(_DRAWN) > _MOST:
            _DRAWN.popitem(last=False)
    _DRAWN.move_to_end(label)
    return _DRAWN[label]
