from __future__ import annotations

import torch
from torch import Tensor


class Folded:
    def __init__(self, t: Tensor):
        self.front = t.shape[:2]
        self.flat = t.flatten(end_dim=1)

    def unfold(self, t: Tensor) -> Tensor:
        return t.view(*self.front, *t.shape[1:])


def by_operator(weights, values):
    b, h, q, _ = weights.shape
    flat = weights.reshape(b * h, q, -1) @ values.reshape(b * h, -1, values.shape[-1])
    return flat.reshape(b, h, q, -1)


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    out = torch.einsum("HBij,HBjx->xHBi", weights, values)
    return out.movedim(0, -1)


def by_bmm(weights, values):
    w, v = Folded(weights), Folded(values)
    return w.unfold(w.flat.bmm(v.flat))


def by_broadcast(weights, values):
    return torch.multiply(weights[..., :, :, None], values[..., None, :, :]).sum(dim=3)
