import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0, max_position_embeddings=256):
        super().__init__()
        self.dim = dim
        self.base = base
        self.max_position_embeddings = max_position_embeddings

    def forward(self, x, position_ids):
        # float32 at least for the angles
        wide = torch.promote_types(x.dtype, torch.float32)
        exponents = torch.arange(0, self.dim, 2, dtype=wide, device=x.device) / self.dim
        position_ids = position_ids.clamp(max=self.max_position_embeddings - 1)
        freqs = torch.outer(position_ids.to(wide), 1.0 / (self.base**exponents))
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(x, cos, sin):
    return (x * cos) + (rotate_half(x) * sin)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.q_head_dim = head_dim + rope_dim
        self.softmax_scale = self.q_head_dim**-0.5
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(rope_dim)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        past_len = 0 if cache is None else cache[0].size(1)
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)

        compressed_kv, k_pe = torch.split(
            self.kv_a_proj_with_mqa(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        position_ids = torch.arange(past_len, past_len + q_len, device=x.device)
        cos, sin = self.rotary_emb(x, position_ids)
        q_pe = apply_rotary_pos_emb(q_pe, cos, sin)
        k_pe = apply_rotary_pos_emb(k_pe, cos, sin)

        if cache is not None:
            compressed_kv = torch.cat([cache[0], compressed_kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        kv_len = compressed_kv.size(1)

        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = kv.chunk(2, dim=-1)
        scores = q_nope @ k_nope.transpose(2, 3) + q_pe @ k_pe.unsqueeze(1).transpose(2, 3)
        scores = scores * self.softmax_scale
        kv_ids = torch.arange(kv_len, device=x.device)
        scores = scores.masked_fill(kv_ids[None, :] > position_ids[:, None], -math.inf)
        attn_output = F.softmax(scores, dim=-1) @ value_states
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), (compressed_kv, k_pe)
