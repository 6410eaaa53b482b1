# wrong: v3 dropout-missing line 18
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.attn_drop = nn.Dropout(dropout)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        attn = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, float("-inf"))
        attn = attn.softmax(dim=-1)
        return self.proj(attn @ v)
