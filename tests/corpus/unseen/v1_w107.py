import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        std = hidden_dim ** -0.5
        self.w = nn.ParameterDict(
            {n: nn.Parameter(torch.randn(hidden_dim, hidden_dim) * std) for n in ("q", "k", "v")}
        )
        self.root = hidden_dim ** 0.5

    def forward(self, x):
        # thunks: nothing is multiplied before somebody asks for it
        project = [lambda: F.linear(x, self.w[n]) for n in ("q", "k", "v")]
        q, k, v = (make() for make in project)
        att = q @ k.mT / self.root          # (B, T, T)
        return att.softmax(dim=-1) @ v      # (B, T, D)
