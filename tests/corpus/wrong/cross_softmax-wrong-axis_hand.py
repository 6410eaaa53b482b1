# wrong: cross softmax-wrong-axis line 28
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, Tq, D = query.shape
        _, Tk, _ = key.shape
        H, Dh = self.num_heads, self.head_dim
        q = self.query_proj(query).reshape(B, Tq, H, Dh)
        k = self.key_proj(key).reshape(B, Tk, H, Dh)
        v = self.value_proj(value).reshape(B, Tk, H, Dh)
        # [B, Tk, H, Tq] -> keys first
        sim = torch.einsum("bqhd,bkhd->bkhq", q, k) / Dh ** 0.5
        if mask is not None:
            sim = sim.masked_fill(mask.transpose(1, 2).unsqueeze(2) == 0, torch.finfo(sim.dtype).min)
        attn = self.dropout(torch.softmax(sim, dim=-1))
        ctx = torch.einsum("bkhq,bkhd->bqhd", attn, v)
        return self.output_proj(ctx.reshape(B, Tq, D))
