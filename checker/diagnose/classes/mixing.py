"""Whether the samples of a batch reach into each other."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...judge.classes.cases import Case
from ...judge.classes.examine import Examination
from ...judge.classes.occasion import arrange, hold
from ...judge.compare import VALUE_BOUND, alike
from ..mixing import mixing_line

__all__ = ["mixed"]

# A number of samples that no reshape of 2, 3 or 4 parts happens to keep apart.
_BATCH = 5
_LENGTH = 4


def mixed(examination: Examination) -> tuple[bool, int | None]:
    """Return whether samples of one batch change each other's outputs, and the line."""
    masks = [False, True] if examination.takes_mask and examination.forms else [False]
    for masked in masks:
        together, alone = _calls(examination, masked=masked)
        outs = [answer.get("out") for answer in (together, *alone)]
        if not all(isinstance(out, Tensor) for out in outs):
            continue
        whole, parts = outs[0], torch.cat(outs[1:])  # type: ignore[arg-type]
        assert isinstance(whole, Tensor)
        if whole.shape != parts.shape or alike(parts, whole, VALUE_BOUND):
            continue
        steps = [answer.get("steps", []) for answer in (together, *alone)]
        return True, mixing_line(steps[0], steps[1:], _BATCH * _LENGTH)
    return False, None


def _calls(
    examination: Examination, *, masked: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One call with a batch, and one with each of its samples."""
    size = examination.sizes[0]
    keys = _LENGTH + 1 if examination.cross else _LENGTH
    case = Case(
        check="", batch=_BATCH, queries=_LENGTH, keys=keys, mask="random" if masked else None
    )
    call = arrange(examination, case, size).call
    record = {"values": True, "only_dropout": []}
    calls = [dict(call, record=record)]
    for sample in range(_BATCH):
        inputs = {
            name: tensor[sample : sample + 1] if tensor.shape[:1] == (_BATCH,) else tensor
            for name, tensor in call["inputs"].items()
        }
        calls.append(dict(call, inputs=inputs, record=record))
    answers = hold(examination, size, calls)["answers"]
    return answers[0], answers[1:]
