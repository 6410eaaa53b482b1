# wrong: gqa-rope rope-positions-shifted line 32
# fair: rope-positions-shifted 33 34 36 9
import torch
from torch import nn


def turn(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        freqs = base ** (-torch.arange(0, self.head_dim, 2).double() / self.head_dim)
        self.register_buffer("freqs", freqs, persistent=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        batch, length, _ = x.shape
        q = self.q_proj(x).view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.num_kv_heads, self.head_dim).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache[0].shape[1]
        positions = torch.arange(past, past + length, device=x.device)
        angles = positions[:, None] * self.freqs
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        q = turn(q, cos, sin)
        k = turn(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        total = k.shape[2]
        group = self.num_heads // self.num_kv_heads
        scores = q @ k.repeat_interleave(group, dim=1).mT / self.head_dim**0.5
        seen = torch.ones(length, total, device=x.device).tril(total - length)
        scores = scores.masked_fill(seen == 0, float("-inf"))
        out = scores.softmax(dim=-1) @ v.repeat_interleave(group, dim=1)
        return self.o_proj(out.transpose(1, 2).flatten(2)), (k, v)
