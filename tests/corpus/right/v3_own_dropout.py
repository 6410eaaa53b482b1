# right: v3
import torch
import torch.nn as nn


class InvertedDropout(nn.Module):
    def __init__(self, rate):
        super().__init__()
        assert 0 <= rate < 1
        self.keep = 1.0 - rate

    def forward(self, t):
        if not self.training or self.keep == 1.0:
            return t
        coin = torch.empty_like(t).bernoulli_(self.keep)
        return t * coin / self.keep


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.fq = nn.Linear(hidden_dim, hidden_dim)
        self.fk = nn.Linear(hidden_dim, hidden_dim)
        self.fv = nn.Linear(hidden_dim, hidden_dim)
        self.fo = nn.Linear(hidden_dim, hidden_dim)
        self.inverted = InvertedDropout(dropout)
        self.register_buffer("scale", torch.tensor(float(hidden_dim)).rsqrt())

    def forward(self, x, attention_mask=None):
        logit = self.fq(x) @ self.fk(x).permute(0, 2, 1) * self.scale
        if attention_mask is not None:
            allowed = attention_mask > 0
            logit = logit.where(allowed, logit.new_tensor(float("-inf")))
        prob = self.inverted(torch.softmax(logit, -1))
        return self.fo(prob @ self.fv(x))
