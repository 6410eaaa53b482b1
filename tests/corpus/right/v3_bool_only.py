# right: v3 remarks: mask-form, nan-on-empty-row
import torch
from torch import nn, einsum


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.scale = hidden_dim ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        sim = einsum("b i d, b j d -> b i j", self.to_q(x), self.to_k(x)) * self.scale
        if attention_mask is not None:
            # a boolean mask, True = look
            sim.masked_fill_(~attention_mask, -torch.inf)
        attn = self.dropout(sim.softmax(dim=-1))
        return self.to_out(einsum("b i j, b j d -> b i d", attn, self.to_v(x)))
