# diffusers-like
import torch
from einops import rearrange, repeat
from torch import einsum, nn


def default(val, d):
    return val if val is not None else d()


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        inner_dim = dim_head * num_heads
        self.scale = dim_head**-0.5
        self.heads = num_heads
        self.to_q = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, inner_dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, hidden_dim), nn.Identity())

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = (
            rearrange(f(t), "b n (h d) -> (b h) n d", h=h)
            for f, t in ((self.to_q, query), (self.to_k, key), (self.to_v, value))
        )
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        mask = default(mask, lambda: torch.ones(query.shape[0], query.shape[1], key.shape[1], device=q.device))
        keep = repeat(mask, "b i j -> (b h) i j", h=h).bool()
        sim = sim.masked_fill(~keep, -torch.finfo(sim.dtype).max)
        attn = self.attn_dropout(sim.softmax(dim=-1))
        out = einsum("b i j, b j d -> b i d", attn, v)
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=h))
