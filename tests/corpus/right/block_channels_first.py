# right: block
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ChannelNorm(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.b = nn.Parameter(torch.zeros(1, c, 1))
        self.g = nn.Parameter(torch.ones(1, c, 1))

    def forward(self, x: Tensor) -> Tensor:
        mu = x.mean(1, keepdim=True)
        var = (x - mu).pow(2).mean(1, keepdim=True)
        return (x - mu) * (var + 1e-5).rsqrt() * self.g + self.b


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        c = hidden_dim
        self.heads, self.d = num_heads, c // num_heads
        self.ffn_out = nn.Conv1d(4 * c, c, 1)
        self.ffn_in = nn.Conv1d(c, 4 * c, 1)
        self.qkv = nn.Conv1d(c, 3 * c, 1, bias=False)
        self.proj = nn.Conv1d(c, c, 1)
        self.n2 = ChannelNorm(c)
        self.n1 = ChannelNorm(c)

    def forward(self, x: Tensor) -> Tensor:
        x = x.transpose(1, 2)  # B, C, T
        B, C, T = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, 3, self.d, self.heads, T).unbind(1)
        s = torch.einsum("bdhi,bdhj->bhij", q, k) * self.d**-0.5
        s = s + torch.full_like(s, float("-inf")).triu(1)
        y = torch.einsum("bhij,bdhj->bdhi", s.softmax(-1), v)
        x = x + self.proj(y.reshape(B, C, T))
        x = x + self.ffn_out(F.gelu(self.ffn_in(self.n2(x))))
        return x.transpose(1, 2)
