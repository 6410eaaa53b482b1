import torch
from torch import nn


class CrossAttention(nn.Module):
    # heads stay where the view puts them: everything is (batch, length, heads, ...)
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(t).unflatten(2, (self.heads, -1)) for f, t in ((self.q, query), (self.k, key), (self.v, value)))
        sim = torch.einsum("bnhd,bmhd->bnmh", q, k).mul(self.scale)
        if mask is not None:
            sim = sim.masked_fill(mask[..., None] == 0, torch.finfo(sim.dtype).min)
        attn = self.drop(sim.softmax(dim=-1))
        return self.o(torch.einsum("bnmh,bmhd->bnhd", attn, v).flatten(2))
