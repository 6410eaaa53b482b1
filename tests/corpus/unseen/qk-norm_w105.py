import torch
from torch import nn
import torch.nn.functional as F


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.shape = (3, num_heads, d)
        self.w_in = nn.Parameter(torch.randn(3 * hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        qkv = F.linear(x, self.w_in).unflatten(-1, self.shape).movedim((2, 3), (0, 2))
        qk, v = qkv[:2], qkv[2]  # (2, b, h, t, d) and (b, h, t, d)
        q, k = qk * (qk.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * self.gain
        s = q @ k.mT * q.size(-1) ** -0.5
        t = x.size(1)
        s = s.where(torch.ones(t, t, dtype=torch.bool, device=x.device).tril(), float("-inf"))
        return F.linear((s.softmax(-1) @ v).transpose(1, 2).flatten(2), self.w_out)
