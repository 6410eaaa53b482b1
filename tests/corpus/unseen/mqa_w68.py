from collections import namedtuple

import torch
from torch import nn

Shapes = namedtuple("Shapes", "hidden heads head_dim")


class MultiQueryAttention(nn.Module):
    """Wqkv is one matrix; the cut is [hidden | head_dim | head_dim]."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.s = Shapes(hidden_dim, num_heads, hidden_dim // num_heads)
        self.Wqkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.s.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, L, _ = x.shape
        H, hd = self.s.heads, self.s.head_dim
        q, k, v = self.Wqkv(x).split([self.s.hidden, hd, hd], dim=-1)

        q = q.reshape(B, H, L, hd)
        k = k.reshape(B, 1, L, hd)
        v = v.reshape(B, 1, L, hd)

        scores = q @ k.transpose(-2, -1) * hd ** -0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask != 0, scores, scores.new_tensor(float("-inf")))
        ctx = scores.softmax(dim=-1) @ v
        return self.out_proj(ctx.transpose(1, 2).reshape(B, L, H * hd))
