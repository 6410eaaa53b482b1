# wrong: v1 scale-by-length line 16, value-not-projected line 17
import math
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        for name in ("q", "k", "v"):
            self.add_module(f"{name}_map", nn.Linear(hidden_dim, hidden_dim))

    def forward(self, x):
        batch, n, d = x.shape
        q, k = self.q_map(x), self.k_map(x)
        weights = torch.softmax(torch.einsum("bnd,bmd->bnm", q, k) / math.sqrt(n), dim=-1)
        return torch.einsum("bnm,bmd->bnd", weights, x)
