# wrong: v4 dtype-hardcoded line 19
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.d = hidden_dim

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.transpose(1, 2) / self.d ** .5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e9)
        w = torch.softmax(s, dim=-1, dtype=torch.float32)
        return self.o(self.drop(w) @ v)
