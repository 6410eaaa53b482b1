# wrong: mla rope-wrong-frequencies line 20
# fair: rope-wrong-frequencies 23
import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        g = lambda *s: nn.Parameter(torch.randn(*s) / s[-2] ** 0.5)
        self.w_q = g(num_heads, hidden_dim, head_dim)
        self.w_qr = g(num_heads, hidden_dim, rope_dim)
        self.w_c = g(hidden_dim, latent_dim)
        self.w_kr = g(hidden_dim, rope_dim)
        self.w_k = g(num_heads, latent_dim, head_dim)
        self.w_v = g(num_heads, latent_dim, head_dim)
        self.w_o = g(num_heads * head_dim, hidden_dim)
        self.head_dim, self.rope_dim = head_dim, rope_dim
        self.inv_freq = [10000.0 ** (-i / head_dim) for i in range(0, rope_dim, 2)]

    def rope(self, z, p):
        f = torch.tensor(self.inv_freq, dtype=torch.float64, device=z.device)
        a = p.double()[:, None] * f[None]
        c, s = torch.cos(a).to(z.dtype), torch.sin(a).to(z.dtype)
        u, w = torch.tensor_split(z, 2, dim=-1)
        return torch.cat([u * c - w * s, u * s + w * c], dim=-1)

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache["c"].shape[1]
        p = torch.arange(past, past + x.shape[1], device=x.device)
        c = x @ self.w_c
        kr = self.rope(x @ self.w_kr, p)
        if cache is not None:
            c, kr = torch.cat([cache["c"], c], 1), torch.cat([cache["kr"], kr], 1)
        xh = x[:, None]                                   # B 1 T M
        q, qr = xh @ self.w_q, self.rope(xh @ self.w_qr, p)
        k, v = c[:, None] @ self.w_k, c[:, None] @ self.w_v  # B H S D
        s = q @ k.mT + qr @ kr[:, None].mT
        s = s * (self.head_dim + self.rope_dim) ** -0.5
        s = torch.where(torch.arange(c.shape[1], device=x.device) <= p[:, None], s, float("-inf"))
        y = F.softmax(s, dim=-1) @ v
        return y.movedim(1, 2).flatten(2) @ self.w_o, dict(c=c, kr=kr)
