# Multi-head latent attention. What is cached for each position:
#   the latent (latent_dim numbers) and the rotated key (rope_dim numbers)

import math

import torch
import torch.nn as nn


def rope(x, pos):
    # x: (..., length, dim), pos: (length,)
    dim = x.shape[-1]
    half = dim // 2
    i = torch.arange(half, device=x.device, dtype=torch.float64)
    freq = 10000.0 ** (-2.0 * i / dim)
    ang = pos.to(torch.float64)[:, None] * freq[None, :]
    c = torch.cos(ang).to(x.dtype)
    s = torch.sin(ang).to(x.dtype)
    x1 = x[..., :half]
    x2 = x[..., half:]
    return torch.cat((x1 * c - x2 * s, x2 * c + x1 * s), dim=-1)


class MultiHeadLatentAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h = num_heads
        self.dn = head_dim
        self.dr = rope_dim
        self.dl = latent_dim
        # query: content and rotary part of each head, side by side
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        # latent and rotary key in one go
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim)
        # up: for each head its key, then its value
        self.wkv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        # where do we stand?
        start = 0 if cache is None else cache[0].shape[1]
        pos = torch.arange(start, start + t, device=x.device)

        # queries
        q = self.wq(x).view(b, t, self.h, self.dn + self.dr).transpose(1, 2)
        q_nope, q_pe = q.split([self.dn, self.dr], dim=-1)
        q_pe = rope(q_pe, pos)

        # latent and rotary key of the new positions
        c, k_pe = self.wkv_a(x).split([self.dl, self.dr], dim=-1)
        k_pe = rope(k_pe, torch.arange(t, device=x.device))
        if cache is not None:
            c = torch.cat((cache[0], c), dim=1)
            k_pe = torch.cat((cache[1], k_pe), dim=1)

        # keys and values from the latent
        s = c.shape[1]
        kv = self.wkv_b(c).view(b, s, self.h, 2 * self.dn).transpose(1, 2)
        k_nope, v = kv.chunk(2, dim=-1)

        # scores
        att = q_nope @ k_nope.transpose(2, 3) + q_pe @ k_pe[:, None].transpose(2, 3)
        att = att / math.sqrt(self.dn + self.dr)
        key_pos = torch.arange(s, device=x.device)
        att = att.masked_fill(key_pos[None, :] > pos[:, None], float("-inf"))
        att = torch.softmax(att, dim=-1)

        out = (att @ v).transpose(1, 2).reshape(b, t, self.h * self.dn)
        return self.wo(out), (c, k_pe)
