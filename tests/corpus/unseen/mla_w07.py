import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.nh, self.dc, self.dr, self.rank = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.w_dkv = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.w_kr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.w_uk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.w_uv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def spin(self, t, theta):
        u, w = t[..., : self.dr // 2], t[..., self.dr // 2:]
        c, s = theta.cos(), theta.sin()
        return torch.cat([u * c - w * s, w * c + u * s], -1).to(t.dtype)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        seen = 0 if cache is None else cache.size(1)
        pos = torch.arange(seen, seen + t, device=x.device, dtype=x.dtype)
        inv = 10000 ** -(torch.arange(0, self.dr, 2, device=x.device).float() / self.dr)
        theta = pos[:, None].float() * inv

        q = self.wq(x).view(b, t, self.nh, self.dc + self.dr)
        qc = q[..., : self.dc]
        qr = self.spin(q[..., self.dc:], theta[:, None])
        row = torch.cat([self.w_dkv(x), self.spin(self.w_kr(x), theta)], dim=-1)
        cache = row if cache is None else torch.cat([cache, row], dim=1)
        lat, kr = cache.split([self.rank, self.dr], dim=-1)

        kc = self.w_uk(lat).unflatten(-1, (self.nh, self.dc))
        v = self.w_uv(lat).unflatten(-1, (self.nh, self.dc))
        s = torch.einsum("bihd,bjhd->bhij", qc, kc) + torch.einsum("bihr,bjr->bhij", qr, kr)
        s = s / (self.dc + self.dr) ** 0.5
        hidden = torch.ones(t, seen + t, device=x.device, dtype=torch.bool).triu(seen + 1)
        p = F.softmax(s.masked_fill(hidden, float("-inf")), dim=-1)
        return self.wo(torch.einsum("bhij,bjhd->bihd", p, v).flatten(2)), cache
