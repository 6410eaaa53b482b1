# wrong: v3 output-projection-missing line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        a = q @ k.transpose(-2, -1) * self.scale
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, float("-inf"))
        a = self.dropout(a.softmax(dim=-1))
        return a @ v
