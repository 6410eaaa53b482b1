import math
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.d = hidden_dim
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.Wq(x), self.Wk(x), self.Wv(x)
        scores = q @ k.mT / math.sqrt(self.d)
        attn = scores.softmax(dim=-1)
        if attention_mask is not None:
            attn = attn * attention_mask
        attn = self.drop(attn)
        out = attn @ v
        return self.Wo(out)
