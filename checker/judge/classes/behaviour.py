"""Traced calls: which operators run, and on which line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ...diagnose.axes import telling_case, telling_sizes
from ...process.wire import dtype_name
from .attempts import plain_call
from .cases import Case, draw_weights
from .examine import Examination
from .occasion import arrange
from .plan import Size

__all__ = [
    "Trace",
    "device_calls",
    "forbidden",
    "narrowing",
    "pretend",
    "trace",
]

_FUSED_CALLS = {
    "scaled_dot_product_attention": "F.scaled_dot_product_attention",
    "multi_head_attention_forward": "nn.MultiheadAttention",
    "_native_multi_head_attention": "nn.MultiheadAttention",
    "_transformer_encoder_layer_fwd": "nn.TransformerEncoderLayer",
    "flex_attention": "flex_attention",
}


@dataclass(slots=True, kw_only=True)
class Trace:
    """One small call as it was seen: its steps and dropouts.

    mask: as the reference takes it. out: what the call returned, None where it raised.
    """

    size: Size
    case: Case
    steps: list[dict[str, Any]] = field(default_factory=list)
    dropouts: list[dict[str, Any]] = field(default_factory=list)
    inputs: dict[str, Tensor] = field(default_factory=dict)
    mask: Tensor | None = None
    weights: dict[str, Tensor] = field(default_factory=dict)
    out: Tensor | None = None

    def take(self, results: list[dict[str, Any]]) -> None:
        """Take in what the candidate says of the call."""
        answer = (results[0].get("answers") or [{}])[0]
        out = answer.get("out")
        self.steps = answer.get("steps", [])
        self.dropouts = answer.get("dropouts", [])
        self.out = out if isinstance(out, Tensor) else None


def trace(examination: Examination) -> Trace:
    """Watch one small masked call in eval mode; it is seen once the candidate has settled."""
    fitted = examination.fitted
    telling = telling_sizes(examination.sizes)
    size = next((size for size in telling if fitted.shapes(size)), telling[0])
    weights = draw_weights(fitted.shapes(size), size.hidden, 1.5, fitted.draw)
    masked = examination.takes_mask and bool(examination.forms)
    case = telling_case(size, "random" if masked else None, cross=examination.cross)
    first = (examination.forms[0], examination.mask_dtypes[0]) if masked else None
    one = arrange(examination, case, size, mask_as=first)
    call = dict(one.call, record={"values": True})
    seen = Trace(size=size, case=case, inputs=one.inputs, mask=one.mask, weights=weights)
    fitted.begin([fitted.entry(size, weights, [call], fitted.work)], seen.take)
    return seen


def device_calls(examination: Examination) -> list[dict[str, Any]]:
    """Two plain calls in float32, without and with a mask, at the first size."""
    extra = 2 if examination.cross else 0
    cases = [Case(check="device", batch=2, queries=5, keys=5 + extra)]
    if examination.takes_mask and examination.forms:
        cases.append(Case(check="device", batch=2, queries=4, keys=4 + extra, mask="random"))
    size = examination.sizes[0]
    return [arrange(examination, case, size, torch.float32).call for case in cases]


def pretend(examination: Examination) -> list[dict[str, Any]]:
    """Call the class on a pretended GPU, without and with a mask.

    Returns a list that holds what went wrong once the candidate has settled.
    """
    fitted, size = examination.fitted, examination.sizes[0]
    recipe = fitted.binding.recipe(size)
    warm = plain_call(fitted.kata, fitted.binding, size)
    calls = device_calls(examination)
    request = {"do": "pretend", "recipe": recipe, "warm": warm, "calls": calls}
    faults: list[dict[str, Any]] = []
    fitted.candidate.post(request, lambda answer: faults.extend(filter(None, answer["answers"])))
    return faults


def narrowing(examination: Examination, dtype: torch.dtype) -> int | None:
    """The line that first makes floats of another dtype than the inputs', None where none does."""
    fitted = examination.fitted
    size = examination.sizes[0]
    keys = 7 if examination.cross else 5
    masked = examination.takes_mask and bool(examination.forms)
    case = Case(check="", batch=2, queries=5, keys=keys, mask="random" if masked else None)
    call = dict(arrange(examination, case, size, dtype).call, record={})
    weights = draw_weights(fitted.shapes(size), size.hidden, 1.0, fitted.draw)
    result = fitted.run([fitted.entry(size, weights, [call], dtype)])[0]
    floats = {"float64", "float32", "bfloat16", "float16"} - {dtype_name(dtype)}
    for step in (result.get("answers") or [{}])[0].get("steps", []):
        if step["dtype"] in floats and step["lines"]:
            return step["line"]
    return None


def forbidden(seen: Trace) -> tuple[str, int | None] | None:
    """Name a forbidden call and its line, or None."""
    for step in seen.steps:
        # Only torch's own functions reach the recorder, so a name is enough.
        if step["call"] in _FUSED_CALLS:
            return _FUSED_CALLS[step["call"]], step["line"]
    return None
