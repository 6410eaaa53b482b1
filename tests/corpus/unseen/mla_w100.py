import torch
from torch import nn


class Rotary:
    def __init__(self, dim):
        self.half = dim // 2

    def __call__(self, t, positions):
        # t: (..., length, dim)
        theta = 10000.0 ** (-torch.arange(self.half, device=t.device).float() / self.half)
        angle = positions.float()[:, None] * theta
        c, s = angle.cos().to(t.dtype), angle.sin().to(t.dtype)
        first, second = t.split(self.half, dim=-1)
        return torch.cat((first * c - second * s, second * c + first * s), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.latent_dim = latent_dim
        self.rotary = Rotary(rope_dim)
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim + rope_dim)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past_len = 0 if cache is None else cache.shape[1]
        positions = torch.arange(past_len, past_len + q_len, device=x.device)

        q = self.q_proj(x).view(bsz, q_len, self.num_heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.head_dim, self.rope_dim], dim=-1)
        q_pe = self.rotary(q_pe, positions)

        latent, k_pe = self.kv_a_proj(x).split([self.latent_dim, self.rope_dim], dim=-1)
        new = torch.cat([latent, self.rotary(k_pe, positions)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        latent, k_pe = cache.split([self.latent_dim, self.rope_dim], dim=-1)

        kv = self.kv_b_proj(latent).view(bsz, -1, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        k_nope, value = kv.chunk(2, dim=-1)

        scores = q_nope @ k_nope.transpose(2, 3) + q_pe @ k_pe.unsqueeze(1).transpose(2, 3)
        scores = scores * (self.head_dim + self.rope_dim) ** -0.5
        future = torch.arange(cache.shape[1], device=x.device)[None, :] > positions[:, None]
        probs = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        out = (probs @ value).transpose(1, 2).flatten(2)
        return self.o_proj(out), cache
