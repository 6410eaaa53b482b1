"""Gemma-like: the gains are stored less 1; one set of raw weights for each head."""
import torch
from torch import nn


def _gemma_norm(u, stored, eps=1e-6):
    w = u.to(torch.promote_types(u.dtype, torch.float32))
    w = w / torch.sqrt(w.square().mean(dim=-1, keepdim=True) + eps)
    return (w * (1.0 + stored.to(w.dtype))).to(u.dtype)


class _OneHead(nn.Module):
    def __init__(self, hidden_dim, d):
        super().__init__()
        b = hidden_dim**-0.5
        self.wq = nn.Parameter(torch.empty(hidden_dim, d).uniform_(-b, b))
        self.wk = nn.Parameter(torch.empty(hidden_dim, d).uniform_(-b, b))
        self.wv = nn.Parameter(torch.empty(hidden_dim, d).uniform_(-b, b))
        self.wo = nn.Parameter(torch.empty(d, hidden_dim).uniform_(-b, b))

    def forward(self, x, gq, gk):
        q = _gemma_norm(x @ self.wq, gq)
        k = _gemma_norm(x @ self.wk, gk)
        s = torch.bmm(q, k.transpose(1, 2)) * q.size(-1) ** -0.5
        ahead = torch.ones(s.shape[1:], device=s.device, dtype=torch.bool).triu(diagonal=1)
        s = s.masked_fill(ahead, float("-inf"))
        return torch.bmm(s.softmax(dim=2), x @ self.wv) @ self.wo


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.heads = nn.ModuleList([_OneHead(hidden_dim, d) for _ in range(num_heads)])
        self.query_gain = nn.Parameter(torch.zeros(d))
        self.key_gain = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return sum(h(x, self.query_gain, self.key_gain) for h in self.heads)
