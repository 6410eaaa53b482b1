# wrong: v3 softmax-unstable line 21
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, d, dropout=0.1):
        super().__init__()
        self.Wq = nn.Parameter(torch.randn(d, d) / d ** 0.5)
        self.Wk = nn.Parameter(torch.randn(d, d) / d ** 0.5)
        self.Wv = nn.Parameter(torch.randn(d, d) / d ** 0.5)
        self.Wo = nn.Parameter(torch.randn(d, d) / d ** 0.5)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = x @ self.Wq, x @ self.Wk, x @ self.Wv
        logits = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, -torch.inf)
        e = logits.exp()
        w = e / e.sum(-1, keepdim=True)
        w = F.dropout(w, p=self.p, training=self.training)
        return (w @ v) @ self.Wo
