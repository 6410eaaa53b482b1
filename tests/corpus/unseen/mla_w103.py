import math

import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.softmax_scale = self.qk_nope_head_dim**-0.5

        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wk_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def apply_rotary(self, x, start):
        # x: (B, H, T, rope_dim)
        half = self.qk_rope_head_dim // 2
        inv = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float64) / half)
        pos = torch.arange(start, start + x.size(2), device=x.device, dtype=torch.float64)
        ang = torch.outer(pos, inv)
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        x1, x2 = x[..., :half], x[..., half:]
        return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        H, D = self.num_heads, self.qk_nope_head_dim
        past = 0 if cache is None else cache[0].size(1)

        q = self.wq(x).view(B, T, H, -1).transpose(1, 2)
        q_nope, q_pe = q.split([D, self.qk_rope_head_dim], dim=-1)
        q_pe = self.apply_rotary(q_pe, past)

        c_kv = self.wkv_a(x)  # (B, T, latent)
        k_pe = self.apply_rotary(self.wk_rope(x).unsqueeze(1), past).squeeze(1)  # (B, T, rope)
        if cache is not None:
            c_kv = torch.cat([cache[0], c_kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        S = c_kv.size(1)

        k_nope = self.wk_b(c_kv).view(B, S, H, D).transpose(1, 2)
        v = self.wv_b(c_kv).view(B, S, H, D).transpose(1, 2)
        q = torch.cat([q_nope, q_pe], dim=-1)
        k = torch.cat([k_nope, k_pe.unsqueeze(1).expand(-1, H, -1, -1)], dim=-1)

        scores = (q @ k.transpose(-2, -1)) * self.softmax_scale
        mask = torch.full((T, S), float("-inf"), device=x.device, dtype=x.dtype).triu(past + 1)
        attn = torch.softmax(scores + mask, dim=-1)
        out = (attn @ v).transpose(1, 2).reshape(B, T, H * D)
        return self.wo(out), (c_kv, k_pe)
