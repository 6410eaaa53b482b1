# attn-kata: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn

KEY_BLOCK = 128


def online_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over blocks of keys with a running maximum and a running denominator.

    q [B, G, R, T, D], k and v [B, G, 1, T, D], mask broadcasts to [B, G, R, T, T]
    """
    scale = q.shape[-1] ** -0.5
    row_max = q.new_full((*q.shape[:-1], 1), float("-inf"))
    row_sum = torch.zeros_like(row_max)
    acc = torch.zeros_like(q)
    for begin in range(0, k.shape[-2], KEY_BLOCK):
        block = slice(begin, begin + KEY_BLOCK)
        s = (q @ k[..., block, :].mT) * scale
        if mask is not None:
            s = s.masked_fill(mask[..., block] == 0, torch.finfo(s.dtype).min)
        new_max = torch.maximum(row_max, s.amax(dim=-1, keepdim=True))
        p = torch.exp(s - new_max)
        correction = torch.exp(row_max - new_max)
        row_sum = row_sum * correction + p.sum(dim=-1, keepdim=True)
        acc = acc + p @ v[..., block, :]
        row_max = new_max
    return acc / row_sum


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv_dim = num_kv_heads * self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _grouped(self, t: Tensor) -> Tensor:
        b, length, _ = t.shape
        return t.view(b, length, self.num_kv_heads, -1, self.head_dim).permute(0, 2, 3, 1, 4)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (self._grouped(p(x)) for p in (self.q_proj, self.k_proj, self.v_proj))
        mask = attention_mask
        if mask is not None:
            shape = (self.num_kv_heads, -1) if mask.size(1) == self.num_heads else (1, 1)
            mask = mask.unflatten(1, shape)
        out = online_attention(q, k, v, mask)                  # [B, G, R, T, D]
        return self.o_proj(out.permute(0, 3, 1, 2, 4).flatten(2))
