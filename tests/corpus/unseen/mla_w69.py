# MLA：缓存压缩后的 latent 和所有头共享的旋转 key
import math

import torch
import torch.nn as nn


def apply_rope(t, start):
    """t: [..., n, d]，第 i 行的位置是 start + i，前后两半配对"""
    n, d = t.shape[-2:]
    ft = torch.float64 if t.dtype == torch.float64 else torch.float32
    inv = 1.0 / (10000.0 ** (torch.arange(0, d, 2, dtype=ft, device=t.device) / d))
    pos = torch.arange(start, start + n, dtype=ft, device=t.device)
    ang = pos[:, None] * inv[None, :]
    cos, sin = ang.cos(), ang.sin()
    a, b = t[..., : d // 2].to(ft), t[..., d // 2 :].to(ft)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.q_c = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_r = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.k_r = nn.Linear(hidden_dim, rope_dim)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim)

    def heads(self, t, width):
        return t.view(t.size(0), t.size(1), self.h, width).transpose(1, 2)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        c, kr = self.kv_down(x), self.k_r(x)
        past = 0
        if cache is not None:
            past = cache["c"].size(1)
            c = torch.cat([cache["c"], c], dim=1)
            kr = torch.cat([cache["kr"], kr], dim=1)
        kr = apply_rope(kr, 0)
        new_cache = {"c": c, "kr": kr}

        qc = self.heads(self.q_c(x), self.d)
        qr = apply_rope(self.heads(self.q_r(x), self.r), past)
        kc = self.heads(self.k_up(c), self.d)
        v = self.heads(self.v_up(c), self.d)

        # 内容部分 + 位置部分
        s = qc @ kc.mT + qr @ kr.unsqueeze(1).mT
        s = s / math.sqrt(self.d + self.r)
        total = c.size(1)
        i = torch.arange(past, total, device=x.device)[:, None]
        j = torch.arange(total, device=x.device)[None, :]
        s = s.masked_fill(j > i, float("-inf"))
        out = (s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, self.h * self.d)
        return self.o(out), new_cache
