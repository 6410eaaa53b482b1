import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.bounds = [(i * hidden_dim, (i + 1) * hidden_dim) for i in range(3)]

    def _third(self, fused, i):
        lo, hi = self.bounds[i]
        return fused[..., lo:hi]

    def forward(self, x):
        fused = self.c_attn(x)
        q = self._third(fused, 0)
        k = self._third(fused, 1)
        v = self._third(fused, -2)
        att = (q @ k.transpose(1, 2)) * (k.size(-1) ** -0.5)
        att = att.softmax(dim=-1)
        return att @ v
