from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch import Tensor

# Every op returns (result, vjp); the backward pass is the vjps in reverse order.
Vjp = Callable[[Tensor], "Tensor | tuple[Tensor, Tensor]"]


class Step(NamedTuple):
    out: Tensor
    vjp: Vjp


def matmul(a: Tensor, b: Tensor) -> Step:
    return Step(a @ b, lambda g: (g @ b.mT, a.mT @ g))


def scale(a: Tensor, c: float) -> Step:
    return Step(a * c, lambda g: g * c)


def hide(a: Tensor, where: Tensor) -> Step:
    return Step(a.masked_fill(where, float("-inf")), lambda g: g.masked_fill(where, 0.0))


def softmax(a: Tensor) -> Step:
    p = (a - a.amax(-1, keepdim=True)).exp()
    p = p / p.sum(-1, keepdim=True)
    return Step(p, lambda g: p * (g - torch.linalg.vecdot(p, g).unsqueeze(-1)))


def attention_backward(query, key, value, grad_output, causal=False):
    n, s = query.size(-2), key.size(-2)
    future = torch.zeros(n, s, dtype=torch.bool, device=query.device)
    if causal:
        future = torch.ones_like(future).triu(s - n + 1)
    tape = [matmul(query, key.mT)]
    tape.append(scale(tape[-1].out, query.size(-1) ** -0.5))
    tape.append(hide(tape[-1].out, future))
    tape.append(softmax(tape[-1].out))
    last = matmul(tape[-1].out, value)

    g, grad_value = last.vjp(grad_output)
    for step in reversed(tape[1:]):
        g = step.vjp(g)
    grad_query, grad_key_t = tape[0].vjp(g)
    return grad_query, grad_key_t.mT, grad_value
