from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class KV:
    k: Tensor
    v: Tensor

    def append(self, k: Tensor, v: Tensor) -> "KV":
        return KV(torch.cat((self.k, k), dim=1), torch.cat((self.v, v), dim=1))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: KV | None = None):
        q, k, v = (
            t.unflatten(-1, (self.h, -1)).permute(0, 2, 1, 3)
            for t in self.qkv(x).chunk(3, dim=-1)
        )
        new = KV(k, v) if cache is None else cache.append(k, v)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, new.k) * q.shape[-1] ** -0.5
        nq, nk = scores.shape[-2:]
        late = torch.ones(nq, nk, dtype=torch.bool, device=x.device).triu(nk - nq + 1)
        weights = scores.masked_fill(late, torch.finfo(scores.dtype).min).softmax(-1)
        out = torch.einsum("bhqk,bhkd->bqhd", weights, new.v)
        return self.proj(out.flatten(2)), new
