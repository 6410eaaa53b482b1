# attn-kata: differential
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

        # one GEMM for queries, keys and values
        self.w_qkv = nn.Parameter(torch.randn(3 * hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.w_out = nn.Parameter(torch.randn(hidden_dim, hidden_dim) / math.sqrt(hidden_dim))
        self.lambda_q1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.head_dim) * 0.1)
        self.rms_weight = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        H, D = self.num_heads, self.head_dim
        q, k, v = F.linear(x, self.w_qkv).split(C, dim=-1)
        q = q.view(B, T, 2 * H, D).transpose(1, 2).reshape(B * 2 * H, T, D)
        k = k.view(B, T, 2 * H, D).transpose(1, 2).reshape(B * 2 * H, T, D)
        v = v.view(B, T, H, 2 * D).transpose(1, 2)

        bias = torch.zeros(T, T, dtype=x.dtype, device=x.device)
        bias.masked_fill_(torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1), -math.inf)
        maps = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(D)).softmax(dim=-1)
        first, second = maps.view(B, H, 2, T, T).unbind(dim=2)

        lam = (self.lambda_q1 * self.lambda_k1).sum().exp()
        lam = lam - (self.lambda_q2 * self.lambda_k2).sum().exp() + self.lambda_init
        heads = (first - lam * second) @ v

        heads = heads * (1 - self.lambda_init)
        wide = heads.to(torch.promote_types(heads.dtype, torch.float32))
        inverse_rms = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + 1e-5)
        heads = (wide * inverse_rms).to(x.dtype) * self.rms_weight
        return F.linear(heads.transpose(1, 2).reshape(B, T, C), self.w_out)
