# wrong: v2 detached line 17
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    """Self attention with one big projection."""

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.big = nn.Linear(hidden_dim, 3 * hidden_dim)

    def _weights(self, q, k):
        s = torch.matmul(q, k.transpose(-1, -2))
        s = s / self.hidden_dim ** 0.5
        return torch.softmax(s.data, dim=-1)

    def forward(self, x):
        z = self.big(x)
        q = z[..., : self.hidden_dim]
        k = z[..., self.hidden_dim : 2 * self.hidden_dim]
        v = z[..., 2 * self.hidden_dim :]
        return self._weights(q, k) @ v
