from __future__ import annotations

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """gamma * (x - mean) / sqrt(var + eps) + beta"""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, keepdim=True)
        return self.gamma * (x - mean) * torch.rsqrt(var + self.eps) + self.beta


class CausalAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        q, k, v = self.to_qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(dim=2)
        dots = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
        future = torch.arange(n, device=x.device)[None, :] > torch.arange(n, device=x.device)[:, None]
        attn = dots.masked_fill(future, -torch.finfo(dots.dtype).max).softmax(dim=-1)
        return self.to_out(torch.einsum("bhij,bjhd->bihd", attn, v).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = LayerNorm(hidden_dim), LayerNorm(hidden_dim)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.down(self.act(self.up(self.norm_2(attended))))
