# wrong: kvcache heads-merge-wrong-axes line 44
from __future__ import annotations

import math

import torch
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]


class CachedSelfAttention(nn.Module):

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"hidden_dim {d_model} is not a multiple of num_heads {num_heads}")
        self.dh = d_model // num_heads
        self.qkv = nn.Linear(d_model, 3 * (d_model))
        self.h = num_heads
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, hidden_states: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        b, t, d_model = hidden_states.shape
        split = (b, t, self.h, self.dh)
        shape_heads = lambda z: z.view(split).transpose(1, 2)
        q_all, k_all, v_all = self.qkv(hidden_states).chunk(3, -1)
        values = shape_heads(v_all)
        query_heads = shape_heads(q_all)  # (batch, heads, length, head_dim)
        keys = shape_heads(k_all)  # (batch, heads, length, head_dim)
        key_heads, value_heads = keys, values
        if cache is not None:
            past_key, past_value = cache
            key_heads = torch.cat([past_key, keys], dim=2)
            value_heads = torch.cat([past_value, values], dim=2)
        kv_length = key_heads.shape[2]
        logits = torch.matmul(query_heads, key_heads.mT) / self.dh ** 0.5
        # The queries are the last of the positions, so the diagonal starts behind the cached ones.
        visible = logits.new_ones(t, kv_length).tril(diagonal=kv_length - t)
        minus_inf = torch.finfo(logits.dtype).min
        masked = torch.where(visible.logical_not(), minus_inf, logits)
        w = nn.functional.softmax(masked, dim=-1)
        o = torch.matmul(w, value_heads)  # (batch, heads, length, head_dim)
        mixed = o.transpose(-2, -1)  # (batch, length, heads, head_dim)
        joined = mixed.reshape(b, t, d_model)  # (batch, length, hidden_dim)
        return self.wo(joined), (key_heads, value_heads)
