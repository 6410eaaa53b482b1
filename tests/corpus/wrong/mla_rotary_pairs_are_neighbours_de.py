# wrong: mla rope-wrong-pairing line 20
# fair: rope-wrong-pairing 21
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn


def rotate_half(x):
    """Rotates half the hidden dims of the input."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(states, cos, sin):
    b, h, s, d = states.shape
    # bring the pairs into halves
    states = states.view(b, h, s, d // 2, 2).transpose(4, 3).reshape(b, h, s, d)
    return (states * cos) + (rotate_half(states) * sin)


class DeepseekV2RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, x, position_ids):
        inv_freq = 1.0 / (self.base ** (torch.arange(0, self.dim, 2, device=x.device).float() / self.dim))
        freqs = torch.outer(position_ids.float(), inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Multi-headed attention from 'DeepSeek-V2', without the low-rank queries and the layernorm"""

    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int):
        super().__init__()
        self.num_heads = num_heads
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.v_head_dim = head_dim
        self.qk_nope_head_dim = head_dim
        self.q_head_dim = head_dim + rope_dim

        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=True)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * (head_dim + self.v_head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * self.v_head_dim, hidden_dim, bias=True)
        self.rotary_emb = DeepseekV2RotaryEmbedding(rope_dim)
        self.softmax_scale = self.q_head_dim ** (-0.5)

    def forward(self, x: torch.Tensor, cache: Optional[Tuple] = None):
        bsz, q_len, _ = x.size()
        past = 0 if cache is None else cache[0].shape[1]
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        compressed_kv, k_pe = torch.split(
            self.kv_a_proj_with_mqa(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        cos, sin = self.rotary_emb(x, torch.arange(past, past + q_len, device=x.device))
        q_pe = apply_rotary_pos_emb(q_pe, cos, sin)
        k_pe = apply_rotary_pos_emb(k_pe.unsqueeze(1), cos, sin)
        if cache is not None:
            compressed_kv = torch.cat([cache[0], compressed_kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=2)
        kv_len = compressed_kv.shape[1]
        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)

        query_states = k_pe.new_empty(bsz, self.num_heads, q_len, self.q_head_dim)
        query_states[:, :, :, : self.qk_nope_head_dim] = q_nope
        query_states[:, :, :, self.qk_nope_head_dim :] = q_pe
        key_states = k_pe.new_empty(bsz, self.num_heads, kv_len, self.q_head_dim)
        key_states[:, :, :, : self.qk_nope_head_dim] = k_nope
        key_states[:, :, :, self.qk_nope_head_dim :] = k_pe

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.softmax_scale
        mask = torch.full((q_len, kv_len), torch.finfo(x.dtype).min, dtype=x.dtype, device=x.device).triu(past + 1)
        attn_weights = F.softmax(attn_weights + mask, dim=-1, dtype=torch.float32).to(x.dtype)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, self.num_heads * self.v_head_dim)
        return self.o_proj(attn_output), (compressed_kv, k_pe)
