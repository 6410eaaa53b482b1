import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        h, d = self.num_heads, self.head_dim
        q = self.to_q(query).unflatten(2, (h, d))
        k = self.to_k(key).unflatten(2, (h, d))
        v = self.to_v(value).unflatten(2, (h, d))

        sim = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(d)
        if mask is not None:
            sim = sim.masked_fill(mask.unsqueeze(1) == 0, -torch.finfo(sim.dtype).max)

        attn = sim.softmax(dim=-1)
        attn = self.dropout(attn)
        out = torch.einsum("bhij,bjhd->bihd", attn, v)
        return out.flatten(2)
