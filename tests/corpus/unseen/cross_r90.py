# lucidrains' perceiver cross-attention, from memory, without einops
import torch
from torch import einsum, nn


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


def split(t, h):
    b, n, hd = t.shape
    return t.reshape(b, n, h, hd // h).permute(0, 2, 1, 3).reshape(b * h, n, hd // h)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1, inner_dim=None):
        super().__init__()
        inner_dim = default(inner_dim, hidden_dim)
        self.scale = (inner_dim // num_heads) ** -0.5
        self.heads = num_heads
        self.to_q = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(inner_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (split(t, h) for t in (q, k, v))

        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if exists(mask):
            max_neg_value = -torch.finfo(sim.dtype).max
            mask = mask.bool().repeat_interleave(h, dim=0)      # b i j -> (b h) i j
            sim.masked_fill_(~mask, max_neg_value)

        attn = sim.softmax(dim=-1)
        attn = self.dropout(attn)
        out = einsum("b i j, b j d -> b i d", attn, v)
        out = out.reshape(-1, h, out.shape[1], out.shape[2]).permute(0, 2, 1, 3).flatten(2)
        return self.to_out(out)
