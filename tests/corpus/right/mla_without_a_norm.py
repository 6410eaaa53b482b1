# right: mla
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn


class LatentCache(NamedTuple):
    compressed_kv: Tensor  # (batch, positions, kv_lora_rank)
    k_pe: Tensor           # (batch, positions, qk_rope_head_dim), already rotated

    @classmethod
    def empty(cls, batch: int, rank: int, rope: int, like: Tensor) -> "LatentCache":
        return cls(like.new_empty(batch, 0, rank), like.new_empty(batch, 0, rope))

    def append(self, compressed_kv: Tensor, k_pe: Tensor) -> "LatentCache":
        return LatentCache(
            compressed_kv=torch.cat((self.compressed_kv, compressed_kv), dim=1),
            k_pe=torch.cat((self.k_pe, k_pe), dim=1),
        )

    @property
    def seq_length(self) -> int:
        return self.k_pe.shape[1]


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    ROPE_THETA = 10000.0

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.q_head_dim = head_dim + rope_dim
        self.softmax_scale = self.q_head_dim**-0.5

        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * (self.qk_nope_head_dim + self.v_head_dim))
        self.o_proj = nn.Linear(num_heads * self.v_head_dim, hidden_dim)

    def _rotary(self, position_ids: Tensor, dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
        dim = self.qk_rope_head_dim
        exponent = torch.arange(0, dim, 2, dtype=torch.float32, device=position_ids.device) / dim
        freqs = torch.outer(position_ids.to(torch.float32), self.ROPE_THETA**-exponent)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)

    def forward(
        self, x: Tensor, cache: Optional[LatentCache] = None
    ) -> Tuple[Tensor, LatentCache]:
        bsz, q_len, _ = x.shape
        past = cache if cache is not None else LatentCache.empty(
            bsz, self.kv_lora_rank, self.qk_rope_head_dim, like=x
        )
        position_ids = past.seq_length + torch.arange(q_len, device=x.device)
        cos, sin = self._rotary(position_ids, dtype=x.dtype)

        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = q_pe * cos + rotate_half(q_pe) * sin

        compressed_kv, k_pe = self.kv_a_proj_with_mqa(x).split(
            [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        present = past.append(compressed_kv, k_pe * cos + rotate_half(k_pe) * sin)
        kv_len = present.seq_length

        kv = self.kv_b_proj(present.compressed_kv)
        kv = kv.view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = kv.split([self.qk_nope_head_dim, self.v_head_dim], dim=-1)

        query_states = torch.cat([q_nope, q_pe], dim=-1)
        shared_k_pe = present.k_pe[:, None].expand(-1, self.num_heads, -1, -1)
        key_states = torch.cat([k_nope, shared_k_pe], dim=-1)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.softmax_scale
        key_ids = torch.arange(kv_len, device=x.device)
        attn_weights = attn_weights.masked_fill(
            key_ids[None, :] > position_ids[:, None], torch.finfo(attn_weights.dtype).min
        )
        attn_output = torch.matmul(attn_weights.softmax(dim=-1), value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, self.num_heads * self.v_head_dim)
        return self.o_proj(attn_output), present
