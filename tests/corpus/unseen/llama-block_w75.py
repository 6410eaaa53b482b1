# Llama 解码块：RMSNorm + 分组查询注意力 + SwiGLU
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class 均方归一化(nn.Module):
    def __init__(self, 维度: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(维度))

    def forward(self, u: Tensor) -> Tensor:
        均方 = (u * u).mean(dim=-1, keepdim=True)
        return u / torch.sqrt(均方 + 1e-5) * self.weight


def 旋转(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """t 的形状 (批, 头, 长度, 头宽)，前一半与后一半配对。"""
    半 = t.size(-1) // 2
    a, b = t[..., :半], t[..., 半:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.头数, self.键值头数 = num_heads, num_kv_heads
        self.头宽 = hidden_dim // num_heads
        self.缩放 = 1.0 / math.sqrt(hidden_dim // num_kv_heads)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.头宽, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.头宽, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.norm1, self.norm2 = 均方归一化(hidden_dim), 均方归一化(hidden_dim)

    def 注意力(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        批, 长, _ = u.shape
        q = self.q_proj(u).view(批, 长, self.头数, self.头宽).transpose(1, 2)
        k = self.k_proj(u).view(批, 长, self.键值头数, self.头宽).transpose(1, 2)
        v = self.v_proj(u).view(批, 长, self.键值头数, self.头宽).transpose(1, 2)
        q, k = 旋转(q, cos, sin), 旋转(k, cos, sin)
        # 每个键值头复制给相邻的几个查询头
        倍 = self.头数 // self.键值头数
        k = k[:, :, None].expand(-1, -1, 倍, -1, -1).flatten(1, 2)
        v = v[:, :, None].expand(-1, -1, 倍, -1, -1).flatten(1, 2)
        分数 = q @ k.transpose(-2, -1) * self.缩放
        下三角 = torch.ones(长, 长, dtype=torch.bool, device=u.device).tril()
        权重 = 分数.masked_fill(下三角.logical_not(), float("-inf")).softmax(dim=-1)
        return self.o_proj((权重 @ v).transpose(1, 2).reshape(批, 长, -1))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.注意力(self.norm1(x), cos, sin)
        u = self.norm2(h)
        return h + self.down_proj(F.silu(self.gate_proj(u)) * self.up_proj(u))
