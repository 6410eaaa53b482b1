import math

import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim

        # queries
        self.q_content_proj = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope_proj = nn.Linear(hidden_dim, num_heads * rope_dim)
        # compress, then decompress
        self.kv_compress = nn.Linear(hidden_dim, latent_dim)
        self.k_decompress = nn.Linear(latent_dim, num_heads * head_dim)
        self.v_decompress = nn.Linear(latent_dim, num_heads * head_dim)
        self.k_rope_projection = nn.Linear(hidden_dim, rope_dim)
        self.out_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def apply_rope(self, t, positions):
        # t: (batch, heads, length, rope_dim)
        out = torch.zeros_like(t)
        half = self.rope_dim // 2
        for i in range(half):
            theta = positions * (10000 ** (-2 * i / self.rope_dim))
            c = torch.cos(theta).to(t.dtype)
            s = torch.sin(theta).to(t.dtype)
            out[..., i] = t[..., i] * c - t[..., i + half] * s
            out[..., i + half] = t[..., i + half] * c + t[..., i] * s
        return out

    def forward(self, x, cache=None):
        batch, length, _ = x.shape
        offset = 0
        if cache is not None:
            offset = cache[0].shape[1]
        positions = torch.arange(offset, offset + length, device=x.device).float()

        q_c = self.q_content_proj(x).view(batch, length, self.num_heads, self.head_dim)
        q_r = self.q_rope_proj(x).view(batch, length, self.num_heads, self.rope_dim)
        q_c = q_c.permute(0, 2, 1, 3)
        q_r = self.apply_rope(q_r.permute(0, 2, 1, 3), positions)

        c_kv = self.kv_compress(x)
        k_r = self.k_rope_projection(x).unsqueeze(1)
        k_r = self.apply_rope(k_r, positions)

        if cache is not None:
            c_kv = torch.cat((cache[0], c_kv), dim=1)
            k_r = torch.cat((cache[1], k_r), dim=2)
        new_cache = (c_kv, k_r)

        total = c_kv.shape[1]
        k_c = self.k_decompress(c_kv).view(batch, total, self.num_heads, self.head_dim)
        v = self.v_decompress(c_kv).view(batch, total, self.num_heads, self.head_dim)
        k_c = k_c.permute(0, 2, 1, 3)
        v = v.permute(0, 2, 1, 3)
        k_r = k_r.repeat(1, self.num_heads, 1, 1)

        q = torch.cat((q_c, q_r), dim=3)
        k = torch.cat((k_c, k_r), dim=3)
        scores = torch.matmul(q, k.permute(0, 1, 3, 2))
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        mask = torch.zeros(length, total, dtype=torch.bool, device=x.device)
        for i in range(length):
            mask[i, offset + i + 1 :] = True
        scores = scores.masked_fill(mask, -1e9 if x.dtype != torch.float16 else -6e4)
        weights = torch.softmax(scores, dim=-1)
        out = torch.matmul(weights, v)
        out = out.permute(0, 2, 1, 3).reshape(batch, length, self.num_heads * self.head_dim)
        return self.out_proj(out), new_cache
