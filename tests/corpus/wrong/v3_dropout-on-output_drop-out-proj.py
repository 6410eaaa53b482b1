# wrong: v3 dropout-on-output line 14
# fair: dropout-on-output 14 22 23
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Sequential(
            nn.Linear(hidden_dim, hidden_dim),
            nn.Dropout(dropout),
        )

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv_proj(x).split(self.hidden_dim, dim=-1)
        s = q @ k.transpose(-1, -2) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        a = s.softmax(-1)
        return self.out_proj(a @ v)
