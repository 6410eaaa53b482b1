from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import nn


@dataclass
class MLAConfig:
    hidden_size: int
    num_attention_heads: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    kv_lora_rank: int
    rope_theta: float = 10000.0

    @property
    def v_head_dim(self) -> int:
        return self.qk_nope_head_dim

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim


class RotaryEmbedding(nn.Module):
    def __init__(self, config: MLAConfig):
        super().__init__()
        self.dim, self.theta = config.qk_rope_head_dim, config.rope_theta

    @torch.no_grad()
    def forward(self, x: torch.Tensor, position_ids: torch.Tensor):
        inv_freq = self.theta ** -(torch.arange(0, self.dim, 2, dtype=torch.float64, device=x.device) / self.dim)
        freqs = position_ids.to(torch.float64)[:, None] @ inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.config = config = MLAConfig(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        self.q_proj = nn.Linear(hidden_dim, num_heads * config.qk_head_dim, bias=False)
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_pe_proj = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * (head_dim + config.v_head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * config.v_head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(config)
        self.softmax_scale = config.qk_head_dim**-0.5

    def forward(
        self, x: torch.Tensor, cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
    ) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        cfg = self.config
        bsz, q_len, _ = x.shape

        q = self.q_proj(x).view(bsz, q_len, cfg.num_attention_heads, cfg.qk_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([cfg.qk_nope_head_dim, cfg.qk_rope_head_dim], dim=-1)
        compressed_kv = self.kv_a_proj(x)
        k_pe = self.k_pe_proj(x)

        past_length = 0
        if cache is not None:
            past_length = cache[0].size(2)
        position_ids = torch.arange(past_length, past_length + q_len, device=x.device)
        cos, sin = self.rotary_emb(x, position_ids)
        q_pe = q_pe * cos + rotate_half(q_pe) * sin
        k_pe = k_pe * cos + rotate_half(k_pe) * sin

        if cache is not None:
            compressed_kv = torch.cat([cache[0], compressed_kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        kv_len = compressed_kv.size(1)

        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, cfg.num_attention_heads, -1).transpose(1, 2)
        k_nope, value_states = kv.chunk(2, dim=-1)
        key_states = torch.cat([k_nope, k_pe[:, None].expand(-1, cfg.num_attention_heads, -1, -1)], dim=-1)
        query_states = torch.cat([q_nope, q_pe], dim=-1)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.softmax_scale
        causal_mask = torch.ones(q_len, kv_len, dtype=torch.bool, device=x.device).tril(kv_len - q_len)
        attn_weights = attn_weights.masked_fill(~causal_mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).flatten(2)
        return self.o_proj(attn_output), (compressed_kv, k_pe)
