# right: v3
import torch
import torch.nn as nn


class ScoreMixin:
    """knows how to turn scores into weights; needs self.drop"""

    def normalise(self, scores, mask):
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill_(mask == 0, float("-inf"))
        return self.drop(torch.softmax(scores, dim=-1))


class PackedMixin:
    def project(self, x):
        for i in range(3):
            yield nn.functional.linear(x, self.packed[i], self.shift[i])


class SelfAttentionV3(ScoreMixin, PackedMixin, nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.packed = nn.ParameterList([nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.05) for _ in range(3)])
        self.shift = nn.ParameterList([nn.Parameter(torch.zeros(hidden_dim)) for _ in range(3)])
        self.mix = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.project(x)
        w = self.normalise(q @ k.mT * (x.shape[-1] ** -0.5), attention_mask)
        return self.mix(w @ v)
