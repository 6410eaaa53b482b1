import torch
from torch import nn


class MaskAdder:
    """Turns a mask into something that scores can live with."""

    def apply(self, scores, mask):
        if mask is None:
            return scores
        mask = mask[:, None]
        if mask.dtype == torch.bool:
            return scores.masked_fill(~mask, float("-inf"))
        return scores + mask.to(scores.dtype)


class HeadShaper:
    def __init__(self, heads):
        self.heads = heads

    def split(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.heads, c // self.heads).permute(0, 2, 1, 3)

    def merge(self, t):
        b, h, n, d = t.shape
        return t.permute(0, 2, 1, 3).reshape(b, n, h * d)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.Identity())
        self.attn_drop = nn.Dropout(dropout)
        self.shape = HeadShaper(num_heads)
        self.mask = MaskAdder()
        self.scale = (hidden_dim // num_heads) ** -0.5

    def forward(self, query, key, value, mask=None):
        q = self.shape.split(self.to_q(query))
        k = self.shape.split(self.to_k(key))
        v = self.shape.split(self.to_v(value))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        sim = self.mask.apply(sim, mask)
        attn = self.attn_drop(sim.softmax(dim=-1))
        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(self.shape.merge(out))
