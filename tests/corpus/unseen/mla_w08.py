import math

import torch
import torch.nn as nn


# 半旋转 RoPE: (i, i + r/2) 配对
def build_angles(start, end, rope_dim, like):
    idx = torch.arange(rope_dim // 2, device=like.device, dtype=torch.float32)
    inv = torch.exp(-math.log(10000.0) * 2.0 * idx / rope_dim)
    t = torch.arange(start, end, device=like.device).to(like)
    return t.float()[:, None] * inv[None, :]  # 角度用 float32


def apply_rope(u, ang):
    cos, sin = ang.cos().to(u.dtype), ang.sin().to(u.dtype)
    a, b = u[..., : u.size(-1) // 2], u[..., u.size(-1) // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.q_nope = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.k_rope = nn.Linear(hidden_dim, rope_dim)
        self.kv_up = nn.Linear(latent_dim, num_heads * head_dim * 2)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        # 缓存: (latent, k_rope), k_rope 已旋转
        past = cache[0].shape[1] if cache else 0
        ang = build_angles(past, past + T, self.rope_dim, x)

        qc = self.q_nope(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        qr = self.q_rope(x).view(B, T, self.num_heads, self.rope_dim).transpose(1, 2)
        qr = apply_rope(qr, ang)
        c = self.kv_down(x)
        kr = apply_rope(self.k_rope(x), ang)
        if cache:
            c, kr = torch.cat([cache[0], c], 1), torch.cat([cache[1], kr], 1)
        S = c.shape[1]

        kc, v = self.kv_up(c).chunk(2, dim=-1)
        kc = kc.view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        q = torch.cat([qc, qr], dim=-1)
        k = torch.cat([kc, kr[:, None].expand(B, self.num_heads, S, self.rope_dim)], dim=-1)

        score = q @ k.transpose(2, 3) / math.sqrt(self.head_dim + self.rope_dim)
        ok = torch.tril(torch.ones(T, S, dtype=torch.bool, device=x.device), diagonal=past)
        p = score.masked_fill(~ok, float("-inf")).softmax(-1)
        y = (p @ v).transpose(1, 2).reshape(B, T, self.num_heads * self.head_dim)
        return self.o(y), (c, kr)
