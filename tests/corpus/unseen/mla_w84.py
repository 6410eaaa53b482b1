# attn-kata: mla
import math
import torch
import torch.nn as nn


def rope(t, first):
    half = t.shape[-1] // 2
    freq = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float32) / half)
    pos = torch.arange(first, first + t.shape[-2], device=t.device, dtype=torch.float32)
    ang = pos[:, None] * freq
    cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    a, b = t.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        latent, k_rope = self.kv_down(x), self.key_rope(x)
        past = 0
        if cache is not None:
            past = cache[0].shape[1]
            latent = torch.cat([cache[0], latent], dim=1)
            k_rope = torch.cat([cache[1], k_rope], dim=1)
        total = latent.shape[1]
        q = self.query(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        q_content = q[..., : self.head_dim]
        q_rot = rope(q[..., self.head_dim :], past)
        k_rot = rope(k_rope, past).unsqueeze(1)
        k_content = self.key_up(latent).view(b, total, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.value_up(latent).view(b, total, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q_content @ k_content.transpose(-1, -2) + q_rot @ k_rot.transpose(-1, -2)
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        keep = torch.ones(n, total, dtype=torch.bool, device=x.device).tril(past)
        weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1)
        merged = (weights @ v).transpose(1, 2).reshape(b, n, -1)
        return self.out(merged), (latent, k_rope)
