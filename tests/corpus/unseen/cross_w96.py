import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """Latent-diffusion flavoured cross attention."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.dim_head = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, tq, c = query.shape
        tk = key.shape[1]

        q = self.to_q(query)
        k, v = self.to_kv(key).chunk(2, dim=-1)

        q = q.view(b, tq, self.heads, self.dim_head).transpose(1, 2)
        k = k.view(b, tk, self.heads, self.dim_head).transpose(1, 2)
        v = v.view(b, tk, self.heads, self.dim_head).transpose(1, 2)

        sim = q @ k.transpose(-1, -2) / math.sqrt(self.dim_head)
        if mask is not None:
            sim = sim.masked_fill(mask.unsqueeze(1) == 0, -torch.finfo(sim.dtype).max)
        attn = self.drop(sim.softmax(dim=-1))

        out = (attn @ v).transpose(1, 2).reshape(b, tq, c)
        return self.to_out(out)
