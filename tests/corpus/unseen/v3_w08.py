import torch
from torch import nn, einsum


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.attn_drop = nn.Dropout(dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q = self.to_q(x) * self.scale
        k, v = self.to_kv(x).chunk(2, dim=-1)

        # sim[b, j, i]: source j is read by target i
        sim = einsum('b j d, b i d -> b j i', k, q)
        if attention_mask is not None:
            keep = attention_mask.bool()
            sim = sim.masked_fill(keep.logical_not(), -torch.finfo(sim.dtype).max)

        attn = self.attn_drop(sim.softmax(dim=1))
        out = einsum('b j i, b j d -> b i d', attn, v)
        return self.to_out(out)
