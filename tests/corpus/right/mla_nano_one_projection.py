# right: mla
import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class MultiHeadLatentAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        # everything that comes straight from x, in one go: q content, q rope, latent, k rope
        self.sizes = [num_heads * head_dim, num_heads * rope_dim, latent_dim, rope_dim]
        self.c_attn = nn.Linear(hidden_dim, sum(self.sizes))
        # latent -> keys and values, all heads, as a batch
        self.c_up = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        # output projection
        self.c_proj = nn.Linear(num_heads * head_dim, hidden_dim)
        self.n_head = num_heads
        self.hs = head_dim
        self.rs = rope_dim

    def rope(self, x, pos):
        # x: (..., T, rs)
        half = self.rs // 2
        freq = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float64, device=x.device) / half)
        ang = pos.to(torch.float64)[:, None] * freq
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        past = 0 if cache is None else cache[0].size(1)
        pos = torch.arange(past, past + T, device=x.device)

        qc, qr, c, kr = self.c_attn(x).split(self.sizes, dim=2)
        qc = qc.view(B, T, self.n_head, self.hs).transpose(1, 2)  # (B, nh, T, hs)
        qr = self.rope(qr.view(B, T, self.n_head, self.rs).transpose(1, 2), pos)  # (B, nh, T, rs)
        kr = self.rope(kr, pos)  # (B, T, rs)
        if cache is not None:
            c = torch.cat((cache[0], c), dim=1)
            kr = torch.cat((cache[1], kr), dim=1)
        S = c.size(1)

        k, v = self.c_up(c).split(self.n_head * self.hs, dim=2)
        k = k.view(B, S, self.n_head, self.hs).transpose(1, 2)
        v = v.view(B, S, self.n_head, self.hs).transpose(1, 2)

        att = qc @ k.transpose(-2, -1) + qr @ kr.unsqueeze(1).transpose(-2, -1)
        att = att * (1.0 / math.sqrt(self.hs + self.rs))
        bias = torch.tril(torch.ones(S, S, device=x.device))[past:S]
        att = att.masked_fill(bias == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, self.n_head * self.hs)
        return self.c_proj(y), (c, kr)
