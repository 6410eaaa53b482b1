from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Tape:
    """A very small tape: every step of the forward pass leaves behind how to go back through it."""

    def __init__(self) -> None:
        self.steps = []

    def record(self, step) -> None:
        self.steps.append(step)

    def rewind(self, grad: Tensor) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {}
        for step in reversed(self.steps):
            grad = step(grad, found)
        return found


class Grads(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


@torch.no_grad()
def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    tape = Tape()
    root = query.shape[-1] ** 0.5

    scores = query @ key.transpose(-1, -2) / root

    def through_scores(g, found):
        found["query"] = g @ key / root
        found["key"] = (query.transpose(-1, -2) @ g).transpose(-1, -2) / root
        return g

    tape.record(through_scores)

    if causal:
        short, long = scores.shape[-2:]
        seen = torch.ones(short, long, dtype=torch.bool, device=scores.device).tril(long - short)
        scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
        tape.record(lambda g, found: g * seen)

    weights = scores.softmax(-1)
    tape.record(lambda g, found: weights * (g - (g * weights).sum(dim=-1, keepdim=True)))

    def through_product(g, found):
        found["value"] = weights.transpose(-1, -2) @ g
        return g @ value.transpose(-1, -2)

    tape.record(through_product)
    return Grads(**tape.rewind(grad_output))
