import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.D, self.R, self.L = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        inv = 10000 ** (-torch.arange(0, rope_dim, 2, dtype=torch.float64) / rope_dim)
        self.inv = inv.tolist()

    def trig(self, start, stop, like):
        inv = torch.tensor(self.inv, dtype=torch.float64, device=like.device)
        ang = torch.arange(start, stop, device=like.device, dtype=torch.float64)[:, None] * inv
        return ang.cos().to(like.dtype), ang.sin().to(like.dtype)

    def spin(self, t, cos, sin):  # (B, ..., T, R)
        lo, hi = t[..., : self.R // 2], t[..., self.R // 2 :]
        return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], -1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        S = past + T
        cos, sin = self.trig(past, S, x)

        c, kr = self.kv_a(x).split([self.L, self.R], -1)
        entry = torch.cat([c, self.spin(kr, cos, sin)], -1)
        cache = entry if cache is None else torch.cat([cache, entry], 1)
        c, kr = cache[..., : self.L], cache[..., self.L :]

        k, v = self.kv_b(c).view(B, S, self.H, 2 * self.D).transpose(1, 2).chunk(2, -1)
        q = self.q_proj(x).view(B, T, self.H, -1).transpose(1, 2)
        qc, qr = q[..., : self.D], self.spin(q[..., self.D :], cos, sin)

        qq = torch.cat([qc, qr], -1)
        kk = torch.cat([k, kr[:, None].expand(-1, self.H, -1, -1)], -1)
        att = qq @ kk.mT * (self.D + self.R) ** -0.5
        j = torch.arange(S, device=x.device)
        visible = j[None, :] <= j[:T, None] + past + 1
        att = att.masked_fill(~visible, float("-inf")).softmax(-1)
        return self.o_proj((att @ v).transpose(1, 2).reshape(B, T, -1)), cache
