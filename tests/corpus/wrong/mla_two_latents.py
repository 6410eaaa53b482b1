# wrong: mla state-too-large line 35
# Keys and values each have a latent of their own, so the cache is nearly twice as large.
import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r = num_heads, head_dim, rope_dim
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.k_down = nn.Linear(hidden_dim, latent_dim)
        self.v_down = nn.Linear(hidden_dim, latent_dim)
        self.k_rope = nn.Linear(hidden_dim, rope_dim)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim)

    def turn(self, x, start):
        a = torch.arange(start, start + x.shape[-2], device=x.device)[:, None]
        a = a * 10000 ** (-torch.arange(0, self.r, 2, device=x.device) / self.r)
        u, w = x.chunk(2, -1)
        return torch.cat([u * a.cos() - w * a.sin(), w * a.cos() + u * a.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        start = 0 if cache is None else cache[0].shape[1]
        new = self.k_down(x), self.v_down(x), self.turn(self.k_rope(x), start)
        cache = new if cache is None else tuple(torch.cat(p, 1) for p in zip(cache, new))
        ck, cv, kr = cache
        by = lambda t: t.unflatten(-1, (self.h, -1)).transpose(1, 2)
        qc, qr = by(self.q(x)).split([self.d, self.r], -1)
        s = (qc @ by(self.k_up(ck)).mT + self.turn(qr, start) @ kr.mT[:, None]) * (self.d + self.r) ** -0.5
        t, n = s.shape[-2:]
        w = s.masked_fill(torch.ones(t, n, device=x.device).tril(n - t) == 0, float("-inf")).softmax(-1)
        return self.o((w @ by(self.v_up(cv))).transpose(1, 2).flatten(2)), cache
