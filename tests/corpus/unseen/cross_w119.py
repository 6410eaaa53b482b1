import torch
from torch import nn


def split_heads(t, h):
    return t.unflatten(-1, (h, -1)).transpose(1, 2)


def merge_heads(t):
    return t.transpose(1, 2).flatten(-2)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.to_q(query)
        k, v = self.to_kv(key).chunk(2, dim=-1)
        q, k, v = (split_heads(t, self.h) for t in (q, k, v))

        sim = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            sim = sim.masked_fill((mask == 0)[:, None], -torch.finfo(sim.dtype).max)
        attn = self.drop(sim.softmax(dim=-1))
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(merge_heads(out))
