# attn-kata: kvcache
from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class KVCache:
    """不可变的缓存: update 返回新对象, 旧对象保持不变, 所以可以从同一处分叉 (beam search)"""

    kv: Tensor | None = None          # (2, B, H, S, d)

    @property
    def length(self) -> int:
        return 0 if self.kv is None else self.kv.size(-2)

    def update(self, new_kv: Tensor) -> KVCache:
        if self.kv is None:
            return replace(self, kv=new_kv)
        return replace(self, kv=torch.cat([self.kv, new_kv], dim=-2))


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim 必须是 num_heads 的整数倍"
        self.num_heads = num_heads
        self.head_size = hidden_dim // num_heads
        # BLOOM 的排列: 每个头内 [q, k, v]
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> tuple[Tensor, KVCache]:
        batch, length, _ = x.shape
        past = cache if cache is not None else KVCache()

        fused = self.query_key_value(x).view(batch, length, self.num_heads, 3, self.head_size)
        query = fused[..., 0, :].transpose(1, 2)                        # (B, H, T, d)
        present = past.update(fused[..., 1:, :].permute(3, 0, 2, 1, 4))
        key, value = present.kv

        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_size)
        if length > 1:
            # 第 i 个新 token 的绝对位置是 past.length + i
            future = torch.ones(length, present.length, dtype=torch.bool, device=x.device)
            scores = scores.masked_fill(future.triu(diagonal=past.length + 1), float("-inf"))
        context = F.softmax(scores, dim=-1) @ value
        return self.dense(context.transpose(1, 2).reshape_as(x)), present
