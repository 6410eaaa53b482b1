# wrong: v4 parameters-not-registered line 9
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj = {n: nn.Linear(hidden_dim, hidden_dim) for n in "qkv"}
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = (self.proj[n](x) for n in "qkv")
        s = q @ k.transpose(2, 1) / x.size(-1) ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        return self.dropout(torch.softmax(s, dim=2)) @ v
