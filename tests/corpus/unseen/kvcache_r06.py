# attn-kata: kvcache
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Chunk:
    before: "Chunk | None"
    kv: Tensor              # (2, batch, length, heads, head_dim)

    def join(self) -> Tensor:
        parts, node = [], self
        while node is not None:
            parts.append(node.kv)
            node = node.before
        return torch.cat(parts[::-1], dim=2)


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q = self.to_q(x).unflatten(-1, (self.num_heads, -1))
        kv = torch.stack(self.to_kv(x).chunk(2, dim=-1)).unflatten(-1, (self.num_heads, -1))
        cache = Chunk(cache, kv)
        k, v = cache.join()
        total, new = k.shape[1], q.shape[1]
        rows = torch.arange(total - new, total, device=x.device)
        visible = rows[:, None] >= torch.arange(total, device=x.device)
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
        probs = torch.where(visible, logits, -torch.inf).softmax(-1)
        return self.to_out(torch.einsum("bhqk,bkhd->bqhd", probs, v).flatten(2)), cache
