import math
from contextlib import nullcontext

import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for name in "qkvo":
            setattr(self, f"w{name}", nn.Linear(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def attention_probs(self, q, k, mask):
        logits = q @ k.mT / math.sqrt(k.size(-1))
        logits = logits - logits.amax(dim=-1, keepdim=True).detach()
        exp = logits.exp()
        total = exp.sum(dim=-1, keepdim=True)
        if mask is not None:
            exp = exp * mask.to(exp.dtype)
        return exp / total

    def forward(self, x, attention_mask=None):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        p = self.attention_probs(q, k, attention_mask)
        return self.wo(self.dropout(p) @ v)
