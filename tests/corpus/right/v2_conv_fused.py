# right: v2
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.n = hidden_dim
        self.qkv = nn.Conv1d(hidden_dim, 3 * hidden_dim, 1)

    def forward(self, x):
        y = self.qkv(x.movedim(-1, 1))                  # (B, 3C, L)
        q, k, v = y[:, : self.n], y[:, self.n : 2 * self.n], y[:, 2 * self.n :]
        att = torch.einsum("bcl,bcm->blm", q, k).mul_(self.n ** -0.5).softmax(-1)
        return torch.einsum("blm,bcm->blc", att, v)
