# wrong: v3 detached line 16
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        with torch.no_grad():
            logits = q @ k.transpose(-1, -2) * self.scale
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        return self.o(self.dropout(logits.softmax(-1)) @ v)
