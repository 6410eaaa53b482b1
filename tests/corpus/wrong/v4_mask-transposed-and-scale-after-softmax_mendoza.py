# wrong: v4 mask-transposed line 17, scale-after-softmax line 18
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).split(self.hidden_dim, -1)
        s = q @ k.transpose(1, 2)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.transpose(1, 2) == 0, float("-inf"))
        w = torch.softmax(s, dim=-1) / self.hidden_dim ** 0.5
        return self.dropout(w) @ v
