import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h = num_heads
        self.rope_dim = rope_dim
        self.scale = (head_dim + rope_dim) ** -0.5
        self.q_nope = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_pe = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_pe = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def rope(self, t, pos):
        # t (..., len, rope_dim), pos (len,)
        half = self.rope_dim // 2
        inv = 10000.0 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
        ang = pos.to(torch.float64)[:, None] * inv
        cos, sin = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t.split(half, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def heads(self, t):
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        T = x.shape[1]
        c, kr = self.kv_down(x), self.k_pe(x)
        if cache is not None:
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        S = c.shape[1]
        pos = torch.arange(S, device=x.device)
        kr = self.rope(kr, pos)

        qc = self.heads(self.q_nope(x))
        qr = self.rope(self.heads(self.q_pe(x)), pos[S - T:])
        k, v = self.heads(self.k_up(c)), self.heads(self.v_up(c))
        s = (qc @ k.mT + qr @ kr.unsqueeze(1).mT) * self.scale
        s = s.masked_fill(pos > pos[S - T:, None], float("-inf"))
        y = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.o(y), (c, kr)
