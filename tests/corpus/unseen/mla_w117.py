import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.dc, self.dr = num_heads, head_dim, rope_dim
        lin = lambda i, o: nn.Linear(i, o, bias=False)
        self.w_dkv = lin(hidden_dim, latent_dim)
        self.w_kr = lin(hidden_dim, rope_dim)
        self.w_uk = lin(latent_dim, num_heads * head_dim)
        self.w_uv = lin(latent_dim, num_heads * head_dim)
        self.w_qc = lin(hidden_dim, num_heads * head_dim)
        self.w_qr = lin(hidden_dim, num_heads * rope_dim)
        self.w_o = lin(num_heads * head_dim, hidden_dim)

    def rot(self, u, start=0):
        # u: b, n, heads, dr
        m = self.dr // 2
        th = 10000 ** (-torch.arange(m, device=u.device).double() / m)
        ph = (start + torch.arange(u.shape[1], device=u.device)).double()[:, None] * th
        c, s = (f(ph)[:, None].to(u.dtype) for f in (torch.cos, torch.sin))
        a, b = u[..., :m], u[..., m:]
        return torch.cat((a * c - b * s, b * c + a * s), -1)

    def forward(self, x, cache=None):
        n = x.shape[1]
        c, kr = self.w_dkv(x), self.w_kr(x)
        if cache is not None:
            c = torch.cat((cache[0], c), 1)
            kr = torch.cat((cache[1], kr), 1)
        m = c.shape[1]

        kc, v = (w(c).unflatten(-1, (self.h, self.dc)) for w in (self.w_uk, self.w_uv))
        qc = self.w_qc(x).unflatten(-1, (self.h, self.dc))
        qr = self.rot(self.w_qr(x).unflatten(-1, (self.h, self.dr)), m - n)
        kr = self.rot(kr[:, :, None])[:, :, 0]

        s = torch.einsum("bihd,bjhd->bhij", qc, kc) + torch.einsum("bihd,bjd->bhij", qr, kr)
        s = s / (self.dc + self.dr) ** 0.5
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(m - n + 1), -torch.inf)
        o = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return self.w_o(o.flatten(2)), (c, kr)
