import math

import torch
from torch import nn


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.q_head_dim = head_dim + rope_dim
        self.softmax_scale = 1 / math.sqrt(self.q_head_dim)
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b = nn.Linear(latent_dim, num_heads * (head_dim + head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def cos_sin(self, position_ids, dtype):
        dim = self.qk_rope_head_dim
        inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2, device=position_ids.device).float() / dim))
        freqs = position_ids.float()[:, None] * inv_freq
        emb = freqs.repeat_interleave(2, dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past = cache.shape[1] if cache is not None else 0
        cos, sin = self.cos_sin(torch.arange(past, past + q_len, device=x.device), x.dtype)

        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = q_pe * cos + rotate_half(q_pe) * sin

        compressed_kv, k_pe = self.kv_a(x).split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = k_pe * cos + rotate_half(k_pe) * sin
        entry = torch.cat([compressed_kv, k_pe], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)
        compressed_kv, k_pe = cache.split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)

        kv_len = cache.shape[1]
        kv = self.kv_b(compressed_kv).view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = kv.split([self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        query_states = torch.cat([q_nope, q_pe], dim=-1)
        key_states = torch.cat([k_nope, k_pe.unsqueeze(1).expand(-1, self.num_heads, -1, -1)], dim=-1)

        attn = query_states @ key_states.transpose(2, 3) * self.softmax_scale
        mask = torch.full((q_len, kv_len), float("-inf"), device=x.device, dtype=attn.dtype).triu(kv_len - q_len + 1)
        attn = (attn + mask).softmax(dim=-1)
        out = (attn @ value_states).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), cache
