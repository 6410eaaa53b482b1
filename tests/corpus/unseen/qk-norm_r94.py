import torch
from torch import nn


class _Unit(nn.Module):
    """RMSNorm over the last axis; the gain is stored less 1."""

    epsilon: float = 1e-6

    def __init__(self, features):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(features))

    def forward(self, u):
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        size = (wide.pow(2).mean(dim=-1, keepdim=True) + self.epsilon).sqrt()
        return (wide / size * (1 + self.shift)).to(u.dtype)


class QKNormAttention(nn.Module):
    class Settings:
        bias = False
        norm = _Unit

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        S = self.Settings
        self.num_heads = num_heads
        head_dim = hidden_dim // num_heads
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=S.bias)
        self.wkq = nn.Linear(hidden_dim, 2 * hidden_dim, bias=S.bias)  # keys first
        self.norms = nn.ModuleList([S.norm(head_dim), S.norm(head_dim)])  # of keys, of queries
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=S.bias)

    def forward(self, x):
        b, t, c = x.shape
        both = self.wkq(x).view(b, t, 2, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        k, q = (norm(u) for norm, u in zip(self.norms, both))
        v = self.wv(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1)
        scores = scores / q.shape[-1] ** 0.5
        may = x.new_ones(t, t).tril() > 0
        scores = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
        y = scores.softmax(-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, c))
