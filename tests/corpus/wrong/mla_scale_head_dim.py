# wrong: mla scale-without-rope-dim line 43
import math
import torch
import torch.nn as nn


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return torch.cat([x[..., :half] * cos - x[..., half:] * sin,
                      x[..., half:] * cos + x[..., :half] * sin], dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.W_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.W_dkv = nn.Linear(hidden_dim, latent_dim)
        self.W_kr = nn.Linear(hidden_dim, rope_dim)
        self.W_uk = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_uv = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_o = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        start = cache[0].shape[1] if cache is not None else 0
        freqs = 10000 ** (-torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim)
        angles = torch.outer(torch.arange(start, start + T, device=x.device), freqs)
        cos, sin = angles.cos(), angles.sin()
        q = self.W_q(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        q_nope, q_rope = q.split([self.head_dim, self.rope_dim], dim=-1)
        q = torch.cat([q_nope, rotate(q_rope, cos, sin)], dim=-1)
        c, kr = self.W_dkv(x), rotate(self.W_kr(x), cos, sin)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        S = c.shape[1]
        k = self.W_uk(c).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.W_uv(c).view(B, S, self.num_heads, self.head_dim).transpose(1, 2)
        k = torch.cat([k, kr.unsqueeze(1).expand(-1, self.num_heads, -1, -1)], dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        mask = torch.triu(torch.ones(T, S, device=x.device), diagonal=S - T + 1).bool()
        weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        out = (weights @ v).transpose(1, 2).reshape(B, T, -1)
        return self.W_o(out), (c, kr)
