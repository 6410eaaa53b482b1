# attn-kata: mla
# MLA: 多头潜在注意力
import math

import torch
import torch.nn as nn


def rope(x, start):
    # x: [B, H, L, r], 前后两半配对
    L, r = x.shape[-2], x.shape[-1]
    inv = 10000.0 ** (-torch.arange(0, r, 2, device=x.device).float() / r)
    ang = torch.arange(start, start + L, device=x.device).float()[:, None] * inv[None, :]
    cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x[..., : r // 2], x[..., r // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(latent_dim, rope_dim, bias=False)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        H, d, r = self.num_heads, self.head_dim, self.rope_dim
        start = 0 if cache is None else cache[0].shape[1]

        q = self.query(x).view(B, L, H, d + r).transpose(1, 2)
        q_c, q_r = q[..., :d], rope(q[..., d:], start)

        c = self.kv_down(x)                                     # 潜在向量 [B, L, latent]
        k_r = rope(self.key_rope(c).unsqueeze(1), start)        # 所有头共享 [B, 1, L, r]
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=2)
        S = c.shape[1]
        k_c = self.key_up(c).view(B, S, H, d).transpose(1, 2)
        v = self.value_up(c).view(B, S, H, d).transpose(1, 2)

        score = torch.matmul(q_c, k_c.transpose(-1, -2)) + torch.matmul(q_r, k_r.transpose(-1, -2))
        score = score / math.sqrt(d + r)
        mask = torch.ones(L, S, dtype=torch.bool, device=x.device).tril(S - L)
        score = score.masked_fill(~mask, float("-inf"))
        out = torch.matmul(torch.softmax(score, dim=-1), v)
        out = out.transpose(1, 2).reshape(B, L, H * d)
        return self.out_proj(out), (c, k_r)
