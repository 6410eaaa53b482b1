# wrong: cross mask-fill-zero line 21, output-projection-missing line 23
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.to_q(query).unflatten(2, (self.num_heads, -1))
        k = self.to_k(key).unflatten(2, (self.num_heads, -1))
        v = self.to_v(value).unflatten(2, (self.num_heads, -1))
        sim = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            sim = sim.masked_fill(mask[:, None] == 0, 0.0)
        attn = self.attn_drop(sim.softmax(dim=-1))
        return torch.einsum("bhqk,bkhd->bqhd", attn, v).flatten(2)
