from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class MLAConfig:
    hidden_size: int
    num_attention_heads: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    kv_lora_rank: int
    rope_theta: float = 10000.0
    attention_bias: bool = False

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim


class LatentCache:
    """Compressed kv and the (already rotated) shared rotary key."""

    def __init__(
        self, compressed_kv: Optional[torch.Tensor] = None, k_pe: Optional[torch.Tensor] = None
    ):
        self.compressed_kv = compressed_kv
        self.k_pe = k_pe

    def get_seq_length(self) -> int:
        return 0 if self.compressed_kv is None else self.compressed_kv.shape[-2]

    def update(self, compressed_kv: torch.Tensor, k_pe: torch.Tensor) -> "LatentCache":
        if self.compressed_kv is not None:
            compressed_kv = torch.cat([self.compressed_kv, compressed_kv], dim=-2)
            k_pe = torch.cat([self.k_pe, k_pe], dim=-2)
        return LatentCache(compressed_kv, k_pe)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0):
        super().__init__()
        self.dim = dim
        self.base = base

    @torch.no_grad()
    def forward(self, x: torch.Tensor, position_ids: torch.Tensor):
        inv_freq = 1.0 / (
            self.base
            ** (torch.arange(0, self.dim, 2, dtype=torch.int64).float().to(x.device) / self.dim)
        )
        freqs = position_ids[:, :, None].float() * inv_freq[None, None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype=x.dtype), emb.sin().to(dtype=x.dtype)


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos = cos.unsqueeze(unsqueeze_dim)
    sin = sin.unsqueeze(unsqueeze_dim)
    q_embed = (q * cos) + (rotate_half(q) * sin)
    k_embed = (k * cos) + (rotate_half(k) * sin)
    return q_embed, k_embed


def eager_attention_forward(query, key, value, attention_mask, scaling) -> torch.Tensor:
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query.dtype)
    attn_output = torch.matmul(attn_weights, value)
    return attn_output.transpose(1, 2).contiguous()


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.config = config = MLAConfig(
            hidden_size=hidden_dim,
            num_attention_heads=num_heads,
            qk_nope_head_dim=head_dim,
            qk_rope_head_dim=rope_dim,
            v_head_dim=head_dim,
            kv_lora_rank=latent_dim,
        )
        self.q_proj = nn.Linear(config.hidden_size, num_heads * config.qk_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(
            config.hidden_size,
            config.kv_lora_rank + config.qk_rope_head_dim,
            bias=config.attention_bias,
        )
        self.kv_b_proj = nn.Linear(
            config.kv_lora_rank,
            num_heads * (config.qk_nope_head_dim + config.v_head_dim),
            bias=False,
        )
        self.o_proj = nn.Linear(
            num_heads * config.v_head_dim, config.hidden_size, bias=config.attention_bias
        )
        self.rotary_emb = RotaryEmbedding(config.qk_rope_head_dim, config.rope_theta)
        self.scaling = 1.0 / math.sqrt(config.qk_head_dim)

    def _make_causal_mask(self, q_len: int, past: int, like: torch.Tensor) -> torch.Tensor:
        min_dtype = torch.finfo(like.dtype).min
        mask = torch.full((q_len, past + q_len), min_dtype, dtype=like.dtype, device=like.device)
        mask = torch.triu(mask, diagonal=past + 1)
        return mask[None, None, :, :]

    def forward(
        self, x: torch.Tensor, cache: Optional[LatentCache] = None
    ) -> Tuple[torch.Tensor, LatentCache]:
        cfg = self.config
        bsz, q_len, _ = x.shape
        past_key_values = cache if cache is not None else LatentCache()
        past = past_key_values.get_seq_length()
        position_ids = torch.arange(past, past + q_len, device=x.device).unsqueeze(0)

        q = (
            self.q_proj(x)
            .view(bsz, q_len, cfg.num_attention_heads, cfg.qk_head_dim)
            .transpose(1, 2)
        )
        q_nope, q_pe = torch.split(q, [cfg.qk_nope_head_dim, cfg.qk_rope_head_dim], dim=-1)

        compressed_kv = self.kv_a_proj_with_mqa(x)
        compressed_kv, k_pe = torch.split(
            compressed_kv, [cfg.kv_lora_rank, cfg.qk_rope_head_dim], dim=-1
        )
        k_pe = k_pe.view(bsz, 1, q_len, cfg.qk_rope_head_dim)

        cos, sin = self.rotary_emb(x, position_ids)
        q_pe, k_pe = apply_rotary_pos_emb(q_pe, k_pe, cos, sin)

        past_key_values = past_key_values.update(compressed_kv, k_pe.squeeze(1))
        kv_len = past_key_values.get_seq_length()

        kv = self.kv_b_proj(past_key_values.compressed_kv)
        kv = kv.view(
            bsz, kv_len, cfg.num_attention_heads, cfg.qk_nope_head_dim + cfg.v_head_dim
        ).transpose(1, 2)
        k_nope, value_states = torch.split(kv, [cfg.qk_nope_head_dim, cfg.v_head_dim], dim=-1)
        k_rot = past_key_values.k_pe.unsqueeze(1).expand(-1, cfg.num_attention_heads, -1, -1)

        query_states = torch.cat((q_nope, q_pe), dim=-1)
        key_states = torch.cat((k_nope, k_rot), dim=-1)

        mask = self._make_causal_mask(q_len, past, query_states)
        attn_output = eager_attention_forward(
            query_states, key_states, value_states, mask, self.scaling
        )
        attn_output = attn_output.reshape(bsz, q_len, cfg.num_attention_heads * cfg.v_head_dim)
        return self.o_proj(attn_output), past_key_values
