import math

import torch
import torch.nn as nn


def rope(x, start):
    """rotate_half-style RoPE over the last two axes, positions from start on"""
    n, d = x.shape[-2:]
    theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
    ang = torch.arange(start, start + n, dtype=torch.float64, device=x.device)[:, None] * theta
    cos = torch.cat([ang.cos()] * 2, dim=-1).to(x.dtype)
    sin = torch.cat([ang.sin()] * 2, dim=-1).to(x.dtype)
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-x2, x1], dim=-1) * sin


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.dc, self.dr = num_heads, head_dim, rope_dim
        self.W_DKV = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.W_UK = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_UV = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.W_Q = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.W_QR = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.W_KR = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.W_O = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _heads(self, t, d):
        return t.reshape(t.shape[0], t.shape[1], self.h, d).transpose(1, 2)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        c_kv = self.W_DKV(x)
        k_r = self.W_KR(x)
        past = 0
        if cache is not None:
            past = cache["c_kv"].shape[1]
            c_kv = torch.cat([cache["c_kv"], c_kv], dim=1)
            k_r = torch.cat([cache["k_r"], k_r], dim=1)
        k_r = rope(k_r, 0)
        new_cache = {"c_kv": c_kv, "k_r": k_r}

        q_c = self._heads(self.W_Q(x), self.dc)
        q_r = rope(self._heads(self.W_QR(x), self.dr), past)
        k_c = self._heads(self.W_UK(c_kv), self.dc)
        v_c = self._heads(self.W_UV(c_kv), self.dc)

        logits = q_c @ k_c.transpose(-1, -2) + q_r @ k_r[:, None].transpose(-1, -2)
        logits = logits / math.sqrt(self.dc + self.dr)
        row = torch.arange(past, past + n, device=x.device)[:, None]
        col = torch.arange(past + n, device=x.device)[None, :]
        logits = logits.masked_fill(col > row, float("-inf"))
        o = torch.softmax(logits, dim=-1) @ v_c
        return self.W_O(o.transpose(1, 2).reshape(b, n, -1)), new_cache
