# right: v1
import torch
import torch.nn as nn
import torch.nn.functional as F

ROLES = ("q", "k", "v")


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.w = nn.ParameterDict(
            {r: nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5) for r in ROLES}
        )

    def forward(self, x):
        q, k, v = (F.linear(x, self.w[r]) for r in ROLES)
        logits = q @ k.mT
        logits /= q.shape[-1] ** 0.5
        return F.softmax(logits, -1) @ v
