# right: cross
import torch
import torch.nn.functional as F
from torch import nn
from typing import NamedTuple


class Heads(NamedTuple):
    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor


class CrossAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(nn.init.xavier_normal_(torch.empty(3 * embed_dim, embed_dim)))
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, query, key, value) -> Heads:
        out = []
        for inp, w in zip((query, key, value), self.in_proj_weight.chunk(3, dim=0)):
            y = F.linear(inp, w)
            b, n, _ = y.shape
            y = y.view(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
            out.append(y.reshape(b * self.num_heads, n, self.head_dim))
        return Heads(*out)

    def forward(self, query, key, value, mask=None, need_weights=False):
        b, tq, e = query.shape
        h = self._heads(query, key, value)
        w = torch.bmm(h.q / self.head_dim ** 0.5, h.k.transpose(1, 2))
        if mask is not None:
            blocked = (mask == 0).repeat_interleave(self.num_heads, dim=0)
            w = w.masked_fill(blocked, float("-inf"))
        w = torch.softmax(w, dim=-1)
        ctx = torch.bmm(self.dropout(w), h.v)
        ctx = ctx.view(b, self.num_heads, tq, self.head_dim).transpose(1, 2).reshape(b, tq, e)
        out = self.out_proj(ctx)
        return (out, w.view(b, self.num_heads, tq, -1)) if need_weights else out
