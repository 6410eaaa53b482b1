# 多头注意力：先写单头，再用 vmap 推广到所有头
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import vmap


def 单头权重(q: Tensor, k: Tensor, 可见: Tensor) -> Tensor:
    """q, k: (批, 长度, 头宽)；可见: (批, 长度, 长度)。"""
    分数 = torch.bmm(q, k.mT) / q.shape[-1] ** 0.5
    return torch.where(可见, 分数, torch.finfo(分数.dtype).min).softmax(-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim 必须能被 num_heads 整除")
        self.头数, self.丢弃率 = num_heads, dropout
        头宽 = hidden_dim // num_heads
        # 参数按 (角色, 头, 输入, 头宽) 存放
        self.输入权重 = nn.Parameter(torch.empty(3, num_heads, hidden_dim, 头宽))
        self.输出权重 = nn.Parameter(torch.empty(num_heads, 头宽, hidden_dim))
        for p in self.parameters():
            nn.init.normal_(p, std=hidden_dim**-0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        批, 长, _ = x.shape
        q, k, v = torch.einsum("btc,rhcd->rbhtd", x, self.输入权重)
        if attention_mask is None:
            可见 = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        else:
            可见 = attention_mask != 0
        可见 = 可见.expand(批, self.头数, 长, 长)
        权重 = vmap(单头权重, in_dims=1, out_dims=1)(q, k, 可见)
        权重 = F.dropout(权重, p=self.丢弃率, training=self.training)
        return torch.einsum("bhij,bhjd,hdc->bic", 权重, v, self.输出权重)
