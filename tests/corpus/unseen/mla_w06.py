from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class MLAConfig:
    hidden_dim: int
    num_heads: int
    head_dim: int
    rope_dim: int
    latent_dim: int
    rope_theta: float = 10000.0


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        cfg = self.cfg = MLAConfig(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        self.q_proj = nn.Linear(cfg.hidden_dim, cfg.num_heads * (cfg.head_dim + cfg.rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(cfg.hidden_dim, cfg.latent_dim + cfg.rope_dim, bias=False)
        self.k_b_proj = nn.Linear(cfg.latent_dim, cfg.num_heads * cfg.head_dim, bias=False)
        self.v_b_proj = nn.Linear(cfg.latent_dim, cfg.num_heads * cfg.head_dim, bias=False)
        self.o_proj = nn.Linear(cfg.num_heads * cfg.head_dim, cfg.hidden_dim, bias=False)

    def _angles(self, positions: Tensor) -> Tensor:
        cfg = self.cfg
        pairs = torch.arange(0, cfg.rope_dim, 2, dtype=torch.float64, device=positions.device)
        return positions.double().unsqueeze(-1) * cfg.rope_theta ** (-pairs / cfg.head_dim)

    def _apply_rotary(self, t: Tensor, positions: Tensor) -> Tensor:
        ang = self._angles(positions)
        cos, sin = torch.cat([ang.cos()] * 2, -1), torch.cat([ang.sin()] * 2, -1)
        first, second = t.chunk(2, -1)
        return (t * cos + torch.cat([-second, first], -1) * sin).to(t.dtype)

    def forward(self, x: Tensor, cache: tuple[Tensor, ...] | None = None):
        cfg, (b, n, _) = self.cfg, x.shape
        past = cache[0].shape[1] if cache else 0
        new_positions = torch.arange(past, past + n, device=x.device)

        q = self.q_proj(x).view(b, n, cfg.num_heads, -1).transpose(1, 2)
        q_pass, q_rot = q.split([cfg.head_dim, cfg.rope_dim], -1)
        c_kv, k_rot = self.kv_a_proj_with_mqa(x).split([cfg.latent_dim, cfg.rope_dim], -1)
        q_rot, k_rot = self._apply_rotary(q_rot, new_positions), self._apply_rotary(k_rot, new_positions)
        if cache:
            c_kv, k_rot = torch.cat([cache[0], c_kv], 1), torch.cat([cache[1], k_rot], 1)

        k_pass = self.k_b_proj(c_kv).unflatten(-1, (cfg.num_heads, cfg.head_dim)).transpose(1, 2)
        value = self.v_b_proj(c_kv).unflatten(-1, (cfg.num_heads, cfg.head_dim)).transpose(1, 2)
        attn = q_pass @ k_pass.mT + q_rot @ k_rot[:, None].mT
        attn = attn * (cfg.head_dim + cfg.rope_dim) ** -0.5
        positions = torch.arange(past + n, device=x.device)
        attn = attn.masked_fill(positions[None, :] > new_positions[:, None], torch.finfo(attn.dtype).min)
        out = (attn.softmax(-1) @ value).transpose(1, 2).flatten(2)
        return self.o_proj(out), (c_kv, k_rot)
