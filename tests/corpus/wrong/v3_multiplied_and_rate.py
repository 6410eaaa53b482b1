# wrong: v3 mask-multiplied line 17, dropout-rate-wrong line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.p = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in "qkvo"})
        self.rate = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = (self.p[n](x) for n in "qkv")
        logits = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            logits = logits * attention_mask
        weights = F.softmax(logits, dim=-1)
        weights = F.dropout(weights, training=self.training)
        return self.p["o"](weights.to(v.dtype) @ v)
