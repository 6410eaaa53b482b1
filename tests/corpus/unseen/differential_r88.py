from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class DiffConfig:
    hidden_size: int
    num_attention_heads: int
    layer_idx: int
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_size // (2 * self.num_attention_heads)

    @property
    def lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * self.layer_idx)


class DiffRMSNorm(nn.Module):
    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        dtype = hidden_states.dtype
        wide = hidden_states if dtype == torch.float64 else hidden_states.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(dtype)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.config = cfg = DiffConfig(hidden_dim, num_heads, depth)
        self.q_proj = nn.Linear(cfg.hidden_size, cfg.hidden_size, bias=False)
        self.k_proj = nn.Linear(cfg.hidden_size, cfg.hidden_size, bias=False)
        self.v_proj = nn.Linear(cfg.hidden_size, cfg.hidden_size, bias=False)
        self.o_proj = nn.Linear(cfg.hidden_size, cfg.hidden_size, bias=False)
        # rows: lq1, lk1, lq2, lk2
        self.lambdas = nn.Parameter(torch.randn(4, cfg.head_dim) * 0.1)
        self.subln = DiffRMSNorm(2 * cfg.head_dim, cfg.rms_norm_eps)

    def _lambda(self) -> Tensor:
        first, second = self.lambdas.view(2, 2, -1).prod(dim=1).sum(dim=-1).exp()
        return first - second + self.config.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        cfg = self.config
        bsz, seq, _ = x.shape
        query_states = self.q_proj(x).view(bsz, seq, cfg.num_attention_heads, 2, cfg.head_dim)
        key_states = self.k_proj(x).view_as(query_states)
        value_states = self.v_proj(x).view(bsz, seq, cfg.num_attention_heads, -1)

        scores = torch.einsum("bqhmd,bkhmd->mbhqk", query_states, key_states) / math.sqrt(cfg.head_dim)
        future = torch.full((seq, seq), True, device=x.device).triu(diagonal=1)
        attn1, attn2 = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        # by linearity the maps are mixed after the values, which are narrower than the maps
        mixed1 = torch.einsum("bhqk,bkhe->bqhe", attn1, value_states)
        mixed2 = torch.einsum("bhqk,bkhe->bqhe", attn2, value_states)
        heads = self.subln(mixed1 - self._lambda() * mixed2) * (1.0 - cfg.lambda_init)
        return self.o_proj(heads.reshape(bsz, seq, -1))
