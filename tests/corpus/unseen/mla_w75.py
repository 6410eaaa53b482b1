from __future__ import annotations

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.softmax_scale = head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rotate(self, t: Tensor, positions: Tensor) -> Tensor:
        n = self.qk_rope_head_dim
        inv_freq = 1.0 / (10000.0 ** (torch.arange(0, n, 2, dtype=torch.float64, device=t.device) / n))
        freqs = positions.to(torch.float64)[:, None] * inv_freq[None]
        emb = torch.cat((freqs, freqs), dim=-1)
        half = torch.cat((-t[..., n // 2 :], t[..., : n // 2]), dim=-1)
        return t * emb.cos().to(t.dtype) + half * emb.sin().to(t.dtype)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        bsz, q_len, _ = x.size()
        past = cache.size(1) if cache is not None else 0
        positions = torch.arange(past, past + q_len, device=x.device)
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        compressed, k_pe = self.kv_a_proj_with_mqa(x).split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        entry = torch.cat([compressed, self.rotate(k_pe, positions)], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)
        compressed, k_pe = cache.split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        kv = self.kv_b_proj(compressed).view(bsz, -1, self.num_heads, 2 * self.qk_nope_head_dim).transpose(1, 2)
        k_nope, value = kv.chunk(2, dim=-1)
        attn = torch.matmul(q_nope, k_nope.mT) + torch.matmul(self.rotate(q_pe, positions), k_pe.unsqueeze(1).mT)
        attn = attn * self.softmax_scale
        mask = torch.ones(q_len, past + q_len, dtype=torch.bool, device=x.device).tril(past)
        attn = F.softmax(attn.masked_fill(~mask, float("-inf")), dim=-1)
        out = torch.matmul(attn, value).transpose(1, 2).flatten(2)
        return self.o_proj(out), cache
