# wrong: mla rope-wrong-frequencies line 34
# fair: rope-wrong-frequencies 33, 34
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class MLAConfig:
    dim: int
    n_heads: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    kv_lora_rank: int
    rope_theta: float = 10000.0

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class Rotary:
    def __init__(self, cfg: MLAConfig):
        exponent = torch.arange(0, cfg.qk_rope_head_dim, 2).double() / cfg.qk_head_dim
        self.inv_freq = cfg.rope_theta ** -exponent

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        angles = positions.double()[:, None] * self.inv_freq.to(positions.device)
        angles = torch.cat((angles, angles), dim=-1)
        xd = x.double()
        return (xd * angles.cos() + rotate_half(xd) * angles.sin()).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.cfg = cfg = MLAConfig(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        self.wq = nn.Linear(cfg.dim, cfg.n_heads * cfg.qk_head_dim, bias=False)
        self.wkv_a = nn.Linear(cfg.dim, cfg.kv_lora_rank, bias=False)
        self.wk_rope = nn.Linear(cfg.dim, cfg.qk_rope_head_dim, bias=False)
        self.wk_b = nn.Linear(cfg.kv_lora_rank, cfg.n_heads * cfg.qk_nope_head_dim, bias=False)
        self.wv_b = nn.Linear(cfg.kv_lora_rank, cfg.n_heads * cfg.qk_nope_head_dim, bias=False)
        self.wo = nn.Linear(cfg.n_heads * cfg.qk_nope_head_dim, cfg.dim, bias=False)
        self.rotary = Rotary(cfg)

    def forward(self, x: Tensor, cache=None):
        cfg = self.cfg
        bsz, seqlen, _ = x.shape
        start = 0 if cache is None else cache["kv"].shape[1]
        pos = torch.arange(start, start + seqlen, device=x.device)

        q = self.wq(x).view(bsz, seqlen, cfg.n_heads, cfg.qk_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([cfg.qk_nope_head_dim, cfg.qk_rope_head_dim], dim=-1)
        q_pe = self.rotary(q_pe, pos)
        kv, k_pe = self.wkv_a(x), self.rotary(self.wk_rope(x), pos)
        if cache is not None:
            kv = torch.cat([cache["kv"], kv], dim=1)
            k_pe = torch.cat([cache["pe"], k_pe], dim=1)

        k = self.wk_b(kv).unflatten(-1, (cfg.n_heads, -1)).transpose(1, 2)
        v = self.wv_b(kv).unflatten(-1, (cfg.n_heads, -1)).transpose(1, 2)
        scores = q_nope @ k.mT + q_pe @ k_pe.unsqueeze(1).mT
        scores = scores / math.sqrt(cfg.qk_head_dim)
        hide = torch.arange(start + seqlen, device=x.device) > pos[:, None]
        probs = scores.masked_fill(hide, float("-inf")).softmax(dim=-1)
        out = (probs @ v).transpose(1, 2).flatten(2)
        return self.wo(out), {"kv": kv, "pe": k_pe}
