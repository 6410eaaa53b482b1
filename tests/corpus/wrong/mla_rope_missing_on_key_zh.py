# wrong: mla rope-not-on-keys line 31
# fair: rope-not-on-keys 42
# 只转了 query，忘了转共享的 key
import math
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.latent_dim = latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rope(self, x, start):
        idx = torch.arange(0, self.rope_dim, 2, device=x.device)
        theta = 1.0 / 10000 ** (idx / self.rope_dim)
        t = torch.arange(start, start + x.shape[-2], device=x.device)
        ang = t[:, None] * theta[None]
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((x1 * ang.cos() - x2 * ang.sin(), x2 * ang.cos() + x1 * ang.sin()), -1).to(x.dtype)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.head_dim, self.rope_dim], dim=-1)
        c, k_pe = torch.split(self.kv_a_proj_with_mqa(x), [self.latent_dim, self.rope_dim], dim=-1)
        start = 0
        if cache is not None:
            start = cache[0].shape[1]
            c = torch.cat((cache[0], c), 1)
            k_pe = torch.cat((cache[1], k_pe), 1)
        q_pe = self.rope(q_pe, start)
        m = c.shape[1]
        kv = self.kv_b_proj(c).view(b, m, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        k_nope, v = kv.chunk(2, dim=-1)
        scores = q_nope @ k_nope.transpose(-1, -2)
        scores = scores + q_pe @ k_pe.unsqueeze(1).transpose(-1, -2)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        mask = torch.ones(n, m, device=x.device).tril(m - n)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.o_proj(out.transpose(1, 2).reshape(b, n, -1)), (c, k_pe)
