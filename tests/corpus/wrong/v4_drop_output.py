# wrong: v4 dropout-on-output line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = torch.chunk(self.proj(x), 3, dim=-1)
        att = q @ k.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        out = self.output_proj(att @ v)
        return self.dropout(out)
