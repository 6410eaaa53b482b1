import math
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.softmax_scale = head_dim ** -0.5
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wk_r = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wk_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv_b = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rotate(self, t, start):
        # t: (..., length, rope_dim)
        half = self.rope_dim // 2
        pos = torch.arange(start, start + t.shape[-2], device=t.device).double()
        freq = 10000.0 ** (-torch.arange(half, device=t.device).double() * 2 / self.rope_dim)
        ang = pos[:, None] * freq[None, :]
        c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        q = self.wq(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        q_c, q_r = q.split([self.head_dim, self.rope_dim], dim=-1)
        q_r = self.rotate(q_r, start)
        c = self.wkv_a(x)
        k_r = self.rotate(self.wk_r(x), start)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=1)
        S = c.shape[1]
        k_c = self.wk_b(c).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv_b(c).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q_c @ k_c.transpose(-1, -2) + q_r @ k_r.unsqueeze(1).transpose(-1, -2)
        scores = scores * self.softmax_scale
        mask = torch.ones(T, S, device=x.device).tril(S - T)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        out = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1)
        return self.wo(out), (c, k_r)
