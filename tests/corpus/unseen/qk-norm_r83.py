import torch
from torch import nn


class QKNormAttention(nn.Module):
    """The gains are stored less 1 and, since both only meet in the product, applied to q alone."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.proj = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.query_gain = nn.Parameter(torch.zeros(self.d))
        self.key_gain = nn.Parameter(torch.zeros(self.d))

    @staticmethod
    def unit(t):
        return t / torch.sqrt(t.pow(2).mean(dim=-1, keepdim=True) + 1e-6)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (p(x).view(b, n, self.h, self.d).transpose(1, 2) for p in self.proj[:3])
        both = (1 + self.query_gain) * (1 + self.key_gain)
        s = (self.unit(q) * both) @ self.unit(k).transpose(2, 3) / self.d**0.5
        i = torch.arange(n, device=x.device)
        s = torch.where(i[:, None] >= i, s, torch.finfo(s.dtype).min)
        y = s.softmax(-1) @ v
        return self.proj[3](y.transpose(1, 2).reshape(b, n, c))
