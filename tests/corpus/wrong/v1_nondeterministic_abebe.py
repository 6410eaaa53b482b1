# wrong: v1 nondeterministic line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.avg = None

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / x.shape[-1] ** 0.5
        w = F.softmax(scores, dim=-1)
        # smooth the weights over calls for a steadier picture
        if self.avg is not None and self.avg.shape == w.shape:
            w = 0.9 * w + 0.1 * self.avg
        self.avg = w.detach()
        return w @ self.v(x)
