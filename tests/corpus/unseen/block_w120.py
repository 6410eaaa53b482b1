import math

import torch
from torch import nn

SQRT_2 = math.sqrt(2.0)
SQRT_2PI = math.sqrt(2.0 * math.pi)


class GeluFunction(torch.autograd.Function):
    """x * Phi(x). Keeps x alone for the backward pass, so memory stays small."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 0.5 * (1.0 + torch.erf(x / SQRT_2))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        cdf = 0.5 * (1.0 + torch.erf(x / SQRT_2))
        pdf = torch.exp(-0.5 * x * x) / SQRT_2PI
        return grad_output * (cdf + pdf)


class Mlp(nn.Module):
    def __init__(self, width, factor=4):
        super().__init__()
        self.up = nn.Linear(width, factor * width)
        self.down = nn.Linear(factor * width, width)

    def forward(self, h):
        return self.down(GeluFunction.apply(self.up(h)))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.to_out = nn.Linear(width, width)

    def forward(self, h):
        b, n, c = h.shape
        d = c // self.heads
        # heads in the batch, for bmm
        q, k, v = (
            layer(h).view(b, n, self.heads, d).transpose(1, 2).reshape(-1, n, d)
            for layer in (self.to_q, self.to_k, self.to_v)
        )
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
        t = torch.arange(n, device=h.device)
        scores = scores.masked_fill(t.view(1, 1, n) > t.view(1, n, 1), -math.inf)
        y = torch.bmm(torch.softmax(scores, -1), v)
        return self.to_out(y.view(b, self.heads, n, d).transpose(1, 2).reshape(b, n, c))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = Attention(hidden_dim, num_heads)
        self.norm_2 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.mlp = Mlp(hidden_dim)

    def forward(self, x):
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
