import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rotate(self, t: Tensor, positions: Tensor) -> Tensor:
        """t is (batch, heads, length, rope_dim)."""
        half = self.qk_rope_head_dim // 2
        dtype = torch.float64 if t.dtype == torch.float64 else torch.float32
        inv_freq = 1.0 / 10000 ** (torch.arange(half, device=t.device, dtype=dtype) / half)
        freqs = positions.to(dtype)[:, None] * inv_freq[None, :]
        cos, sin = freqs.cos().to(t.dtype), freqs.sin().to(t.dtype)
        first, second = t[..., :half], t[..., half:]
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, q_len, _ = x.shape
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)

        compressed_kv, k_pe = self.kv_a_proj_with_mqa(x).split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        if cache is not None:
            compressed_kv = torch.cat((cache["compressed_kv"], compressed_kv), dim=1)
            k_pe = torch.cat((cache["k_pe"], k_pe), dim=1)
        kv_len = compressed_kv.shape[1]

        positions = torch.arange(kv_len, device=x.device)
        q_pe = self._rotate(q_pe, positions[-q_len:])
        k_pe = self._rotate(k_pe.unsqueeze(1), positions)
        new_cache = {"compressed_kv": compressed_kv, "k_pe": k_pe.squeeze(1)}

        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = kv.chunk(2, dim=-1)

        scores = q_nope @ k_nope.transpose(2, 3) + q_pe @ k_pe.transpose(2, 3)
        scores = scores / math.sqrt(self.qk_nope_head_dim + self.qk_rope_head_dim)
        mask = positions[None, :] > positions[-q_len:, None]
        attn = scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
        out = (attn @ value_states).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), new_cache
