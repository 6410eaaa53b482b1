# attn-kata: v4
import torch
from torch import nn


class SelfAttentionV4(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("query", "key", "value")})
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = (layer(x) for layer in self.proj.values())
        att = q @ k.mT * x.shape[-1] ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float("-inf"))
        return self.drop(att.softmax(-1)) @ v
