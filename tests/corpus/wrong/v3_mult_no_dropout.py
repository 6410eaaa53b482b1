# wrong: v3 mask-multiplied line 8, dropout-missing line 25
import torch
import torch.nn as nn


class Masker:
    def apply(self, scores, keep):
        return scores * keep.to(scores.dtype)


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.proj_q = nn.Linear(hidden_dim, hidden_dim)
        self.proj_k = nn.Linear(hidden_dim, hidden_dim)
        self.proj_v = nn.Linear(hidden_dim, hidden_dim)
        self.proj_o = nn.Linear(hidden_dim, hidden_dim)
        self.masker = Masker()
        self.scale = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        scores = torch.matmul(self.proj_q(x), self.proj_k(x).mT) * self.scale
        if attention_mask is not None:
            scores = self.masker.apply(scores, attention_mask)
        weights = torch.softmax(scores, dim=-1)
        return self.proj_o(torch.matmul(weights, self.proj_v(x)))
