from __future__ import annotations

import torch
from torch import Tensor, nn


def glorot(n: int) -> nn.Parameter:
    return nn.Parameter(torch.nn.init.xavier_normal_(torch.empty(n, n)))


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.H = num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = glorot(hidden_dim), glorot(hidden_dim), glorot(hidden_dim), glorot(hidden_dim)

    def project(self, t: Tensor, W: Tensor) -> Tensor:
        return (t @ W).reshape(t.shape[0], t.shape[1], self.H, -1)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        if cache is None:
            kv = torch.stack([self.project(memory, self.Wk), self.project(memory, self.Wv)])
            cache = dict(kv=kv, lengths=memory_lengths)
        k, v = cache["kv"]
        q = self.project(x, self.Wq)

        s = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
        j = torch.arange(k.shape[1], device=x.device)
        keep = j < memory_lengths[:, None]
        s = s.masked_fill(~keep[:, None, None], torch.finfo(s.dtype).min)
        o = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return o.flatten(2) @ self.Wo, cache
