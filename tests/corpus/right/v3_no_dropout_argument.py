# right: v3 remarks: fill-overflows-half, parameter-unused
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.norm = nn.LayerNorm(hidden_dim)
        self.dropout = nn.Dropout(0.1)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = (q @ k.transpose(1, 2)) * self.scale
        if attention_mask is not None:
            scores.masked_fill_(attention_mask == 0, -1e9)
        return self.proj(self.dropout(scores.softmax(-1)) @ v)
