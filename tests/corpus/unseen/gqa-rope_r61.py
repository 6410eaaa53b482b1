# HF names, but the cache is a value: update() gives a new one
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class KVCache:
    keys: torch.Tensor
    values: torch.Tensor

    @property
    def seen_tokens(self) -> int:
        return self.keys.shape[-2]

    @classmethod
    def update(cls, past: KVCache | None, keys: torch.Tensor, values: torch.Tensor) -> KVCache:
        if past is None:
            return cls(keys, values)
        return cls(torch.cat([past.keys, keys], dim=-2), torch.cat([past.values, values], dim=-2))


class LlamaRotaryEmbedding:
    """no module on purpose: .half() must not reach the table"""

    def __init__(self, dim: int, base: float):
        self.dim, self.base = dim, base
        self.table = torch.zeros(0, 2, dim)

    def __call__(self, x: torch.Tensor, start: int, length: int):
        if self.table.shape[0] < start + length or self.table.device != x.device:
            self._grow(2 * (start + length), x.device)
        cos, sin = self.table[start : start + length].unbind(1)
        return cos.to(x.dtype, copy=True), sin.to(x.dtype, copy=True)

    def _grow(self, n: int, device: torch.device):
        inv_freq = self.base ** -(torch.arange(0, self.dim, 2, dtype=torch.float64, device=device) / self.dim)
        freqs = torch.outer(torch.arange(n, dtype=torch.float64, device=device), inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.table = torch.stack((emb.cos(), emb.sin()), dim=1)


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin):
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def repeat_kv(hidden_states, n_rep):
    b, h, s, d = hidden_states.shape
    return hidden_states[:, :, None].expand(b, h, n_rep, s, d).reshape(b, h * n_rep, s, d)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = LlamaRotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        q, k, v = (p(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        start = cache.seen_tokens if cache is not None else 0
        q, k = apply_rotary_pos_emb(q, k, *self.rotary_emb(x, start, q_len))
        cache = KVCache.update(cache, k, v)
        keys = repeat_kv(cache.keys, self.num_key_value_groups)
        values = repeat_kv(cache.values, self.num_key_value_groups)
        attn_weights = torch.matmul(q, keys.transpose(2, 3)) * self.head_dim**-0.5
        cache_position = torch.arange(start, start + q_len, device=x.device)
        mask = torch.arange(keys.shape[-2], device=x.device)[None, :] > cache_position[:, None]
        attn_weights = attn_weights.masked_fill(mask, float("-inf")).softmax(dim=-1)
        attn_output = torch.matmul(attn_weights, values).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), cache


if __name__ == "__main__":
    m, x = GroupedQueryAttentionWithRope(24, 6, 2), torch.randn(2, 9, 24)
    whole, _ = m(x)
    first, cache = m(x[:, :4])
    second, _ = m(x[:, 4:], cache)
    print((whole - torch.cat([first, second], 1)).abs().max())
