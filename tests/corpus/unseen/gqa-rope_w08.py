import math
from typing import Optional, Tuple

import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def repeat_kv(hidden_states: torch.Tensor, n_rep: int) -> torch.Tensor:
    return hidden_states.repeat_interleave(n_rep, dim=1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_key_value_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def rope(self, x, positions):
        inv_freq = self.base ** (-torch.arange(0, self.head_dim, 2, device=x.device).double() / self.head_dim)
        emb = torch.outer(positions.double(), inv_freq).repeat(1, 2)
        cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
        return x * cos + rotate_half(x) * sin

    def forward(self, x, cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None):
        bsz, q_len, _ = x.shape
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)

        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        kv_len = k.shape[2]
        position_ids = torch.arange(kv_len, device=x.device)
        q = self.rope(q, position_ids[-q_len:])
        k = self.rope(k, position_ids)
        past_key_value = (k, v)

        n_rep = self.num_heads // self.num_key_value_heads
        scores = q @ repeat_kv(k, n_rep).transpose(2, 3) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(position_ids > position_ids[-q_len:, None], float("-inf"))
        out = torch.softmax(scores, dim=-1) @ repeat_kv(v, n_rep)
        return self.o_proj(out.transpose(1, 2).reshape(bsz, q_len, -1)), past_key_value
