import math

import torch
import torch.nn.functional as F
from torch import nn


def phi(z):
    return 0.5 * (1 + torch.erf(z / math.sqrt(2)))


def normed(x, weight):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5) * weight


class TransformerBlock(nn.Module):
    """All weights in the open. Twelve hidden_dim squared of them, plus the two norms."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        C, H = hidden_dim, num_heads
        self.register_parameter("g1", nn.Parameter(torch.ones(C)))
        self.register_parameter("g2", nn.Parameter(torch.ones(C)))
        self.register_parameter("wqkv", nn.Parameter(torch.randn(H, 3, C, C // H) / math.sqrt(C)))
        self.register_parameter("wo", nn.Parameter(torch.randn(C, C) / math.sqrt(C)))
        self.register_parameter("w_up", nn.Parameter(torch.randn(C, 4 * C) / math.sqrt(C)))
        self.register_parameter("w_down", nn.Parameter(torch.randn(4 * C, C) / math.sqrt(4 * C)))

    def attention(self, u):
        q, k, v = torch.einsum("btc,hscd->sbhtd", u, self.wqkv).unbind()
        t, d = q.shape[-2:]
        s = q @ k.mT / math.sqrt(d)
        seen = torch.ones(t, t, device=u.device, dtype=u.dtype).tril()
        # exp(s - max) over what is seen; the maximum is taken over that too
        top = s.masked_fill(seen == 0, -torch.inf).amax(-1, keepdim=True)
        e = torch.exp((s - top).masked_fill(seen == 0, -torch.inf))
        y = (e / e.sum(-1, keepdim=True)) @ v
        return y.transpose(1, 2).reshape(u.shape) @ self.wo

    def mlp(self, u):
        z = u @ self.w_up
        return F.linear(z * phi(z), self.w_down.t())

    def forward(self, x):
        mid = torch.add(x, self.attention(normed(x, self.g1)))
        return torch.add(mid, self.mlp(normed(mid, self.g2)))
