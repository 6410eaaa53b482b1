from __future__ import annotations

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        root = (x.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return self.weight * (x / root)


class Rotation:
    def __init__(self, cos: Tensor, sin: Tensor) -> None:
        self.cos = cos[:, None, :]
        self.sin = sin[:, None, :]

    def __call__(self, heads: Tensor) -> Tensor:
        left, right = heads.tensor_split(2, dim=-1)
        turned_left = left * self.cos - right * self.sin
        turned_right = right * self.cos + left * self.sin
        return torch.cat((turned_left, turned_right), dim=-1)


class SwiGLU(nn.Module):
    def __init__(self, dim: int, mlp_dim: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate_proj(x)
        opened = gate * torch.sigmoid(gate)
        return self.down_proj(opened * self.up_proj(x))


class GroupedAttention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.kv_heads = kv_heads
        self.group = heads // kv_heads
        self.head_dim = dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.to_v = nn.Linear(dim, kv_heads * self.head_dim, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)

    def forward(self, x: Tensor, rotation: Rotation) -> Tensor:
        q = rotation(self.to_q(x).unflatten(-1, (-1, self.head_dim)))
        k = rotation(self.to_k(x).unflatten(-1, (-1, self.head_dim)))
        v = self.to_v(x).unflatten(-1, (-1, self.head_dim))
        q = q.unflatten(2, (self.kv_heads, self.group))
        scores = torch.einsum("bigrd,bjgd->bgrij", q, k) * self.head_dim**-0.5
        steps = torch.arange(x.shape[1], device=x.device)
        seen = steps[None, :] <= steps[:, None]
        scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        mixed = torch.einsum("bgrij,bjgd->bigrd", weights, v)
        return self.to_out(mixed.flatten(2))


class Block(nn.Module):
    def __init__(self, dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.norm_attn = Norm(dim)
        self.attn = GroupedAttention(dim, num_heads, num_kv_heads)
        self.norm_mlp = Norm(dim)
        self.mlp = SwiGLU(dim, mlp_dim)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attn(self.norm_attn(x), Rotation(cos, sin))
        x = x + self.mlp(self.norm_mlp(x))
        return x
