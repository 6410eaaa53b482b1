# attn-kata: mla
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class Dims:
    heads: int
    nope: int
    rope: int
    latent: int

    @property
    def softmax_scale(self):
        return self.nope ** -0.5


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dims = Dims(num_heads, head_dim, rope_dim, latent_dim)
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wk_b = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.wv_b = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim ** -0.5)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def turn(self, t, pos):
        half = self.dims.rope // 2
        inv = 10000.0 ** (-torch.arange(half, device=t.device).float() / half)
        ang = pos.float()[:, None] * inv
        c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t.split(half, dim=-1)
        return torch.cat((a * c - b * s, b * c + a * s), dim=-1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        past = cache[0].shape[1] if cache is not None else 0
        pos = torch.arange(past, past + n, device=x.device)
        q = self.wq(x).view(b, n, self.dims.heads, -1).transpose(1, 2)
        q_nope, q_pe = q.split([self.dims.nope, self.dims.rope], dim=-1)
        c, pe = self.wkv_a(x).split([self.dims.latent, self.dims.rope], dim=-1)
        pe = self.turn(pe, pos)
        if cache is not None:
            c, pe = torch.cat((cache[0], c), 1), torch.cat((cache[1], pe), 1)
        # absorbed
        q_c = torch.einsum("bhnd,hdc->bhnc", q_nope, self.wk_b)
        s = torch.einsum("bhnc,bmc->bhnm", q_c, c) + torch.einsum("bhnr,bmr->bhnm", self.turn(q_pe, pos), pe)
        s = s * self.dims.softmax_scale
        s = s.masked_fill(torch.arange(past + n, device=x.device) > pos[:, None], float("-inf"))
        o = torch.einsum("bhnm,bmc->bhnc", s.softmax(-1), c)
        o = torch.einsum("bhnc,hdc->bnhd", o, self.wv_b)
        return self.wo(o.flatten(2)), (c, pe)
