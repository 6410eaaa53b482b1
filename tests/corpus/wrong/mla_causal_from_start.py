# wrong: mla causal-from-start line 43
import math
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim, max_len=512):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.latent_dim = latent_dim
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.kv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)
        inv = 10000 ** (-torch.arange(0, rope_dim, 2) / rope_dim)
        table = torch.outer(torch.arange(max_len), inv)
        self.register_buffer("cos", table.cos(), persistent=False)
        self.register_buffer("sin", table.sin(), persistent=False)
        self.register_buffer("mask", torch.tril(torch.ones(max_len, max_len)), persistent=False)

    def turn(self, x, start):
        cos = self.cos[start : start + x.shape[-2]]
        sin = self.sin[start : start + x.shape[-2]]
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        q_c, q_r = self.q(x).view(b, n, self.num_heads, -1).transpose(1, 2).split(
            [self.head_dim, self.rope_dim], dim=-1)
        c, k_r = self.kv_a(x).split([self.latent_dim, self.rope_dim], dim=-1)
        q_r, k_r = self.turn(q_r, start), self.turn(k_r, start)
        if cache is not None:
            c, k_r = torch.cat([cache[0], c], 1), torch.cat([cache[1], k_r], 1)
        m = c.shape[1]
        k_c, v = self.kv_b(c).view(b, m, self.num_heads, -1).transpose(1, 2).chunk(2, dim=-1)
        scores = q_c @ k_c.transpose(-1, -2) + q_r @ k_r.unsqueeze(1).transpose(-1, -2)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        scores = scores.masked_fill(self.mask[:n, :m] == 0, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.out(out.transpose(1, 2).reshape(b, n, -1)), (c, k_r)
