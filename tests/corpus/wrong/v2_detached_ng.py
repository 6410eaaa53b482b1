# wrong: v2 detached line 16
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3 * hidden_dim, hidden_dim) * 0.02)
        self.bias = nn.Parameter(torch.zeros(3 * hidden_dim))

    def forward(self, x):
        q, k, v = F.linear(x, self.weight, self.bias).chunk(3, dim=-1)
        m = (q @ k.transpose(1, 2)).max(dim=-1, keepdim=True)[0]
        with torch.no_grad():
            s = (q @ k.transpose(1, 2) - m) / q.shape[-1] ** 0.5
            e = s.exp()
        return e / e.sum(-1, keepdim=True) @ v
