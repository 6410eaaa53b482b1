# wrong: mla state-too-large line 42
# fair: state-too-large 59
import math

import torch
from torch import nn
from torch.nn import functional as F


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim, self.latent_dim = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope_proj = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_b_proj = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_b_proj = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        H, D, R, L = self.num_heads, self.head_dim, self.rope_dim, self.latent_dim
        past_len = cache[0].shape[1] if cache is not None else 0

        inv_freq = 1.0 / (10000 ** (torch.arange(0, R, 2, device=x.device).double() / R))
        emb = torch.arange(past_len, past_len + T, device=x.device)[:, None] * torch.cat((inv_freq, inv_freq))
        cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)

        q_nope, q_rope = self.q_proj(x).view(B, T, H, D + R).transpose(1, 2).split([D, R], dim=-1)
        q_rope = q_rope * cos + rotate_half(q_rope) * sin

        c_kv = self.kv_a_proj(x)
        k_rope = self.k_rope_proj(x).view(B, 1, T, R)
        k_rope = k_rope * cos + rotate_half(k_rope) * sin
        # the same rotary key for every head
        k_rope = k_rope.repeat(1, H, 1, 1)
        if cache is not None:
            c_kv = torch.cat([cache[0], c_kv], dim=1)
            k_rope = torch.cat([cache[1], k_rope], dim=2)
        S = c_kv.shape[1]

        # absorb W_UK into the query
        w_uk = self.k_b_proj.weight.view(H, D, L)
        w_uv = self.v_b_proj.weight.view(H, D, L)
        q_lat = torch.matmul(q_nope, w_uk)                                   # B H T L
        scores = torch.matmul(q_lat, c_kv.unsqueeze(1).transpose(-1, -2))
        scores = scores + torch.matmul(q_rope, k_rope.transpose(-1, -2))
        scores = scores / math.sqrt(D + R)
        allowed = torch.ones(T, S, device=x.device, dtype=torch.bool).tril(diagonal=past_len)
        scores = scores.masked_fill(~allowed, float("-inf"))
        attn = F.softmax(scores, dim=-1)
        ctx = torch.matmul(torch.matmul(attn, c_kv.unsqueeze(1)), w_uv.transpose(-1, -2))
        return self.o_proj(ctx.transpose(1, 2).reshape(B, T, H * D)), (c_kv, k_rope)
