from functools import partial

import torch
from torch import nn


def rms(u, gain, eps=1e-6):
    return u * (u.square().mean(-1, keepdim=True) + eps).rsqrt() * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.shape = (num_heads, head_dim)
        self.wqkv = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) / hidden_dim**0.5)
        self.wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5)
        self.query_gain = nn.Parameter(torch.ones(head_dim))
        self.key_gain = nn.Parameter(torch.ones(head_dim))

    def forward(self, x):
        q, k, v = (torch.einsum("btc,cd->btd", x, w).unflatten(-1, self.shape) for w in self.wqkv)
        q, k = map(partial(rms, gain=self.query_gain), (q, k))
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.shape[1] ** 0.5
        t = torch.arange(x.shape[1], device=x.device)
        p = torch.where(t[:, None] >= t, s, float("-inf")).softmax(-1)
        return torch.einsum("bhqk,bkhd->bqhd", p, v).flatten(-2) @ self.wo
