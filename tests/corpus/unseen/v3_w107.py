import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    # columns-as-queries layout: everything is (B, keys, queries) until the very end
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)
        self.temperature = hidden_dim ** 0.5

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        logits = (k / self.temperature) @ q.mT
        if attention_mask is not None:
            logits[attention_mask == 0] = -torch.inf
        w = self.drop(logits.softmax(1))
        return self.proj(w.mT @ v)
