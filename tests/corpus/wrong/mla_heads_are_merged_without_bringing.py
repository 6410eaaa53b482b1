# wrong: mla heads-merge-without-transpose line 57
# 多头潜在注意力 MLA
import math

import torch
import torch.nn as nn


def 旋转(t, start):
    # t: [b, h, n, r]   前后两半配对
    n, r = t.shape[-2], t.shape[-1]
    freq = 1.0 / (10000 ** (torch.arange(0, r, 2, device=t.device).float() / r))
    ang = torch.outer(torch.arange(start, start + n, device=t.device).float(), freq)
    cos = torch.cat([ang.cos(), ang.cos()], dim=-1).to(t.dtype)
    sin = torch.cat([ang.sin(), ang.sin()], dim=-1).to(t.dtype)
    t1, t2 = t[..., : r // 2], t[..., r // 2:]
    return t * cos + torch.cat([-t2, t1], dim=-1) * sin


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.q_c = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_r = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)      # 下投影
        self.k_rope = nn.Linear(hidden_dim, rope_dim)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim)  # 上投影
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        h, d, r = self.num_heads, self.head_dim, self.rope_dim

        # 查询
        qc = self.q_c(x).view(b, n, h, d).transpose(1, 2)
        qr = 旋转(self.q_r(x).view(b, n, h, r).transpose(1, 2), start)

        # 缓存
        c = self.kv_down(x)
        kr = 旋转(self.k_rope(x).view(b, n, 1, r).transpose(1, 2), start)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=2)
        m = c.shape[1]

        # 注意力
        k = self.k_up(c).view(b, m, h, d).transpose(1, 2)
        v = self.v_up(c).view(b, m, h, d).transpose(1, 2)
        scores = (qc @ k.transpose(2, 3) + qr @ kr.transpose(2, 3)) / math.sqrt(d + r)
        mask = torch.triu(torch.ones(n, m, dtype=torch.bool, device=x.device), diagonal=m - n + 1)
        scores = scores.masked_fill(mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = weights @ v                                     # [b, h, n, d]
        out = out.reshape(b, n, h * d)
        return self.o(out), (c, kr)
