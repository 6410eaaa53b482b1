"""One call of the candidate beside what the reference says of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ...process.wire import dtype_name
from ...report.messages import say
from .. import finding
from ..compare import GRADIENT_BOUND, gap
from .cases import Case
from .masks import form_name
from .plan import Size
from .truth import Truth

__all__ = ["Finding", "Trial", "answers_of", "work_out"]


Finding = finding.Finding["Trial"]


@dataclass(slots=True, kw_only=True)
class Trial:
    """A case at a size, the call that tries it, and the right answer.

    inputs, mask: as the reference takes them. expected: empty until it is worked out.
    keep: which elements count. parameter_grads and input_grads: the right gradients.
    autocast: whether a float32 module is to make its products in this dtype.
    """

    case: Case
    size: Size
    call: dict[str, Any]
    inputs: dict[str, Tensor]
    mask: Tensor | None
    bound: float
    expected: Tensor = field(default_factory=lambda: torch.empty(0))
    keep: Tensor | None = None
    parameter_grads: dict[str, Tensor] | None = None
    input_grads: dict[str, Tensor] | None = None
    mask_form: str = ""
    mask_dtype: str = ""
    dtype: torch.dtype = torch.float64
    autocast: bool = False

    @property
    def answered(self) -> bool:
        """Whether the right answer is worked out."""
        return self.expected.numel() > 0

    @property
    def weight(self) -> int:
        """How large the case is, for showing the smallest that fails."""
        masked = 1 if self.case.mask else 0
        return self.expected.numel() * 2 + masked

    def label(self, language: str) -> str:
        """The case in words, sizes included."""
        parts = [self.case.label(language)]
        if self.case.mask:
            parts.append(f"{form_name(self.mask_form)} {self.mask_dtype}")
        parts.append(f"hidden_dim {self.size.hidden}")
        if self.size.heads > 1:
            parts.append(f"heads {self.size.heads}")
        return say("comma", language).join(parts)

    def masked_in(self, dtype: torch.dtype) -> Trial:
        """The same with its mask of zeros and ones in another dtype."""
        inputs = {**self.call["inputs"], "mask": self.call["inputs"]["mask"].to(dtype)}
        return replace(self, call={**self.call, "inputs": inputs}, mask_dtype=dtype_name(dtype))

    def judge(self, answer: dict[str, Any]) -> Finding | None:
        """Compare an answer with what is right."""
        if "fault" in answer:
            if self.case.strided and "view size is not compatible" in answer["fault"]["message"]:
                # `view` on the input itself, as GPT-2's Conv1D has it, asks for contiguous
                # inputs; that is a precondition, not a mistake in the attention.
                return None
            return Finding(kind="raised", trial=self, fault=answer["fault"])
        out = answer["out"]
        if not isinstance(out, Tensor):
            return Finding(kind="none", trial=self, words=str(answer.get("container")))
        if out.shape != self.expected.shape:
            return Finding(kind="shape", trial=self, actual=out)
        found = gap(out, self.expected, self.bound, self._kept())
        if found.wrong:
            return Finding(kind="values", trial=self, gap=found, actual=out)
        if self.parameter_grads is not None:
            return self._judge_gradients(answer)
        return None

    def _kept(self) -> Tensor | None:
        return None if self.keep is None else self.keep.expand(self.expected.shape)

    def _judge_gradients(self, answer: dict[str, Any]) -> Finding | None:
        if not answer.get("attached"):
            return Finding(kind="detached", trial=self, name="anything")
        pairs = [
            *(
                (f"`{n}`", answer["grads"].get(n), g)
                for n, g in (self.parameter_grads or {}).items()
            ),
            *((n, answer["input_grads"].get(n), g) for n, g in (self.input_grads or {}).items()),
        ]
        largest = max((float(right.abs().max()) for _, _, right in pairs), default=1.0)
        worst: Finding | None = None
        for name, mine, right in pairs:
            idle = float(right.abs().max()) < 1e-9 * largest
            if mine is None or (not idle and float(mine.abs().max()) == 0):
                if not idle:
                    return Finding(kind="detached", trial=self, name=name)
                continue
            scale_free = mine.double().reshape(right.shape)
            if idle:
                if float(scale_free.abs().max()) > GRADIENT_BOUND * largest:
                    return self._gradient(name, scale_free, right)
                continue
            found = gap(scale_free, right, GRADIENT_BOUND)
            if found.wrong and (worst is None or found.worst > (worst.gap or found).worst):
                worst = self._gradient(name, scale_free, right)
        return worst

    def _gradient(self, name: str, mine: Tensor, right: Tensor) -> Finding:
        found = gap(mine, right, GRADIENT_BOUND)
        return Finding(
            kind="gradient", trial=self, gap=found, actual=mine, expected=right, name=name
        )


def answers_of(result: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """A run's answers; where its object could not be made, that fault for each of its calls."""
    return result.get("answers") or [{"fault": result.get("fault")}] * count


def work_out(truth: Truth, trials: list[Trial]) -> None:
    """Work out the right answers, those of the same lengths in one batch."""
    alike: dict[tuple[int, int], list[Trial]] = {}
    for trial in trials:
        alike.setdefault((trial.case.queries, trial.case.keys), []).append(trial)
    for same in alike.values():
        inputs = {name: torch.cat([t.inputs[name] for t in same]) for name in same[0].inputs}
        with torch.no_grad():
            outs = truth.run(inputs, _stacked(same)).split([t.case.batch for t in same])
        for trial, out in zip(same, outs, strict=True):
            trial.expected = out


def _stacked(trials: list[Trial]) -> Tensor | None:
    """The masks of trials of the same lengths; where one has none, one that hides nothing."""
    drawn = [trial.mask for trial in trials if trial.mask is not None]
    if not drawn:
        return None
    # By hand, since torch's own function for it takes a quarter of a millisecond.
    inner = [max(axis) for axis in zip(*(mask.shape[1:] for mask in drawn), strict=True)]
    nothing_hidden = torch.ones(1, *inner, dtype=torch.bool)
    return torch.cat(
        [
            (nothing_hidden if trial.mask is None else trial.mask).expand(trial.case.batch, *inner)
            for trial in trials
        ]
    )
