# attn-kata: kvcache
from __future__ import annotations
from typing import NamedTuple, Optional
import torch
from torch import nn, Tensor


class KV(NamedTuple):
    k: Tensor
    v: Tensor

    def plus(self, k: Tensor, v: Tensor) -> "KV":
        return KV(torch.cat((self.k, k), dim=-2), torch.cat((self.v, v), dim=-2))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Optional[KV] = None):
        q, k, v = self.to_qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        kv = KV(k, v) if cache is None else cache.plus(k, v)
        total, fresh = kv.k.size(-2), q.size(-2)
        pos = torch.arange(total, device=x.device)
        ahead = pos > pos[total - fresh:, None]
        s = torch.matmul(q, kv.k.mT) * q.size(-1) ** -0.5
        w = s.masked_fill(ahead, -torch.inf).softmax(-1)
        y = torch.matmul(w, kv.v)
        return self.to_out(y.transpose(-2, -3).flatten(-2)), kv
