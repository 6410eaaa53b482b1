# attn-kata: mla
import torch
from torch import nn


class Rot:
    def __init__(self, dim):
        self.dim = dim

    def __call__(self, t, first):
        """t (..., n, dim); its rows stand at first, first + 1, ..."""
        half = self.dim // 2
        inv = torch.exp(-torch.arange(half, device=t.device).double() / half
                        * torch.log(torch.tensor(10000.0, dtype=torch.float64)))
        ang = torch.arange(first, first + t.shape[-2], device=t.device).double().outer(inv)
        c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t[..., :half], t[..., half:]
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.dn, self.dr, self.dc = num_heads, head_dim, rope_dim, latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rot = Rot(rope_dim)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        q = self.q_proj(x).view(b, n, self.h, -1).transpose(1, 2)
        q_c, q_r = q.split([self.dn, self.dr], dim=-1)
        c, k_r = self.kv_a_proj_with_mqa(x).split([self.dc, self.dr], dim=-1)
        row = torch.cat((c, self.rot(k_r, past)), -1)
        cache = row if cache is None else torch.cat((cache, row), dim=1)
        c, k_r = cache.split([self.dc, self.dr], dim=-1)
        k_c, v = self.kv_b_proj(c).view(b, -1, self.h, 2 * self.dn).transpose(1, 2).chunk(2, -1)
        s = q_c @ k_c.mT + self.rot(q_r, past) @ k_r.unsqueeze(1).mT
        s = s / (self.dn + self.dr) ** 0.5
        ahead = torch.arange(past + n, device=x.device) > torch.arange(past, past + n, device=x.device)[:, None]
        p = s.masked_fill(ahead, float("-inf")).softmax(-1)
        return self.o_proj((p @ v).transpose(1, 2).flatten(2)), cache
