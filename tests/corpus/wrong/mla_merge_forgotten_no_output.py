# wrong: mla heads-merge-without-transpose line 38
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.w_q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.w_dkv = nn.Linear(hidden_dim, latent_dim)
        self.w_kr = nn.Linear(hidden_dim, rope_dim)
        self.w_ukv = nn.Linear(latent_dim, num_heads * 2 * head_dim)
        self.w_o = nn.Linear(num_heads * head_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        pos = torch.arange(start, start + t, device=x.device)
        inv = 10000 ** (-torch.arange(0, self.rope_dim, 2, device=x.device) / self.rope_dim)
        cos, sin = torch.cos(pos[:, None] * inv), torch.sin(pos[:, None] * inv)

        def rope(z):
            z1, z2 = z.chunk(2, dim=-1)
            return torch.cat([z1 * cos - z2 * sin, z2 * cos + z1 * sin], dim=-1).to(z.dtype)

        q = self.w_q(x).view(b, t, self.num_heads, -1).transpose(1, 2)
        q = torch.cat([q[..., : self.head_dim], rope(q[..., self.head_dim :])], dim=-1)
        c, kr = self.w_dkv(x), rope(self.w_kr(x))
        if cache is not None:
            c, kr = torch.cat([cache[0], c], dim=1), torch.cat([cache[1], kr], dim=1)
        kv = self.w_ukv(c).view(b, -1, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        k, v = kv.chunk(2, dim=-1)
        k = torch.cat([k, kr.unsqueeze(1).repeat(1, self.num_heads, 1, 1)], dim=-1)
        s = q @ k.transpose(-1, -2) / (self.head_dim + self.rope_dim) ** 0.5
        s = s.masked_fill(torch.ones(t, c.shape[1], device=x.device).tril(start) == 0, float("-inf"))
        out = s.softmax(-1) @ v
        out = out.reshape(b, t, self.num_heads * self.head_dim)
        return self.w_o(out), (c, kr)
