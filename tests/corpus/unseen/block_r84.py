import math
import torch
from torch import nn


def pointwise(a, b):
    return nn.Conv1d(a, b, kernel_size=1)


class Norm(nn.Module):
    """LayerNorm over the channels: a GroupNorm of one group, if every position is a sample of its own."""

    def __init__(self, c):
        super().__init__()
        self.gn = nn.GroupNorm(1, c, eps=1e-5)

    def forward(self, x):                        # (n, c, t)
        rows = x.transpose(1, 2).flatten(0, 1)
        return self.gn(rows).view(x.size(0), x.size(2), x.size(1)).transpose(1, 2)


class Attn(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.h = h
        self.qkv, self.out = pointwise(c, 3 * c), pointwise(c, c)

    def forward(self, x):
        n, c, t = x.shape
        q, k, v = self.qkv(x).view(n, 3, self.h, c // self.h, t).unbind(1)
        s = torch.einsum("nhct,nhcs->nhst", q, k) / math.sqrt(c // self.h)      # keys, then queries
        s = s.masked_fill(torch.ones(t, t, device=x.device).tril(-1).bool(), -math.inf)
        y = torch.einsum("nhst,nhcs->nhct", s.softmax(dim=2), v)
        return self.out(y.reshape(n, c, t))


class Erf(nn.Module):
    def forward(self, x):
        return 0.5 * x * torch.erfc(-x * math.sqrt(0.5))


class TransformerBlock(nn.Module):
    """Channels first inside, as in vision code; (batch, length, hidden_dim) outside."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.mix = nn.Sequential(Norm(hidden_dim), Attn(hidden_dim, num_heads))
        self.mlp = nn.Sequential(
            Norm(hidden_dim), pointwise(hidden_dim, 4 * hidden_dim), Erf(), pointwise(4 * hidden_dim, hidden_dim)
        )

    def forward(self, x):
        y = x.transpose(1, 2)
        for branch in (self.mix, self.mlp):
            y = y + branch(y)
        return y.transpose(1, 2)
