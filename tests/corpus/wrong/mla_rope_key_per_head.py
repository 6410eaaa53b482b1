# wrong: mla rope-key-per-head line 36, state-too-large line 48
# fair: rope-key-per-head 15
import math
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.q_nope = nn.Linear(hidden_dim, num_heads * head_dim)
        self.q_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.kv_down = nn.Linear(hidden_dim, latent_dim)
        self.k_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim)

    def apply_rope(self, x, positions):
        inv_freq = 1.0 / 10000 ** (torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim)
        freqs = positions[:, None] * inv_freq[None, :]
        emb = torch.cat([freqs, freqs], dim=-1)
        x1, x2 = x.chunk(2, dim=-1)
        return (x * emb.cos() + torch.cat([-x2, x1], dim=-1) * emb.sin()).to(x.dtype)

    def split(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.num_heads, -1).transpose(1, 2)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        past = 0 if cache is None else cache[0].size(1)
        positions = torch.arange(past, past + t, device=x.device)
        c = self.kv_down(x)
        k_r = self.apply_rope(self.split(self.k_rope(x)), positions)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            k_r = torch.cat([cache[1], k_r], dim=2)
        q = torch.cat([self.split(self.q_nope(x)), self.apply_rope(self.split(self.q_rope(x)), positions)], -1)
        k = torch.cat([self.split(self.k_up(c)), k_r], dim=-1)
        v = self.split(self.v_up(c))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim + self.rope_dim)
        s = c.size(1)
        causal = torch.tril(torch.ones(t, s, device=x.device), diagonal=s - t)
        scores = scores.masked_fill(causal == 0, torch.finfo(scores.dtype).min)
        out = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.o_proj(out.transpose(1, 2).contiguous().view(b, t, -1)), (c, k_r)
