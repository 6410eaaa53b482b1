import torch
import torch.nn.functional as F
from torch import nn


class QKNormAttention(nn.Module):
    """One matrix for q, k and v, kept as a raw parameter and applied to flat rows."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.hidden_dim, self.h, self.d = hidden_dim, num_heads, hidden_dim // num_heads
        self.w_in = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim) * hidden_dim ** -0.5)
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -0.5)
        self.query_gain = nn.Parameter(torch.ones(self.d))
        self.key_gain = nn.Parameter(torch.ones(self.d))

    @staticmethod
    def _norm(u, gain):
        return u / (u.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * gain

    def forward(self, x):
        b, n, _ = x.shape
        rows = x.view(b * n, self.hidden_dim)
        q, k, v = (rows @ self.w_in).view(b, n, 3, self.h, self.d).unbind(2)
        q, k = self._norm(q, self.query_gain), self._norm(k, self.key_gain)
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.d ** 0.5
        scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), float("-inf"))
        y = torch.einsum("bhij,bjhd->bihd", F.softmax(scores, dim=-1), v)
        return (y.reshape(b * n, self.hidden_dim) @ self.w_out).view(b, n, self.hidden_dim)
