# Softmax's Jacobian is never built, but each query goes by itself: a row of keys at a time.
import math

import torch
from torch import Tensor


class Row:
    """One query position of all samples and heads, with the keys that it sees."""

    __slots__ = ("q", "k", "v", "share", "scale")

    def __init__(self, q: Tensor, k: Tensor, v: Tensor) -> None:
        self.q, self.k, self.v, self.scale = q, k, v, 1 / math.sqrt(q.shape[-1])
        s = torch.einsum("bhd,bhsd->bhs", q, k) * self.scale
        self.share = (s - s.logsumexp(-1, keepdim=True)).exp()

    def pull_back(self, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        dv = torch.einsum("bhs,bhe->bhse", self.share, g)
        felt = torch.einsum("bhe,bhse->bhs", g, self.v)
        ds = self.share * (felt - torch.linalg.vecdot(self.share, felt).unsqueeze(-1)) * self.scale
        return (
            torch.einsum("bhs,bhsd->bhd", ds, self.k),
            torch.einsum("bhs,bhd->bhsd", ds, self.q),
            dv,
        )


def attention_backward(query, key, value, grad_output, causal=False):
    kind = query.dtype
    up = torch.float64 if kind == torch.float64 else torch.float32
    query, key, value, grad_output = (t.detach().to(up) for t in (query, key, value, grad_output))
    dq, dk, dv = torch.empty_like(query), torch.zeros_like(key), torch.zeros_like(value)
    lag = key.shape[2] - query.shape[2]
    for i in range(query.shape[2]):
        n = lag + i + 1 if causal else key.shape[2]
        row = Row(query[:, :, i], key[:, :, :n], value[:, :, :n])
        dq[:, :, i], a, b = row.pull_back(grad_output[:, :, i])
        dk[:, :, :n].add_(a)
        dv[:, :, :n].add_(b)
    return dq.to(kind), dk.to(kind), dv.to(kind)
