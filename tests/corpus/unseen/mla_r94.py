from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MLAArgs:
    d_model: int
    n: int
    nope: int
    rope: int
    lora: int


def rope_half(t, pos):
    """t (..., length, rope) at the positions pos (length,)"""
    n = t.size(-1) // 2
    freq = 10000.0 ** (-torch.arange(n, dtype=torch.float64, device=t.device) / n)
    ang = pos.to(torch.float64)[:, None] * freq
    dt = torch.promote_types(t.dtype, torch.float32)
    c, s = ang.cos().to(dt), ang.sin().to(dt)
    a, b = t.to(dt).split(n, dim=-1)
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: neither keys nor values of the heads are ever made; all of it runs on the latent."""

    def __init__(self, args: MLAArgs):
        super().__init__()
        a = self.args = args
        self.q = nn.Linear(a.d_model, a.n * (a.nope + a.rope), bias=False)
        self.down = nn.Linear(a.d_model, a.lora + a.rope, bias=False)
        self.k_up = nn.Parameter(torch.randn(a.n, a.nope, a.lora) * a.lora**-0.5)
        self.v_up = nn.Parameter(torch.randn(a.n, a.nope, a.lora) * a.lora**-0.5)
        self.o = nn.Linear(a.n * a.nope, a.d_model, bias=False)

    def forward(self, x, cache=None):
        a, t = self.args, x.size(1)
        past = 0 if cache is None else cache.size(1)
        pos = torch.arange(past, past + t, device=x.device)

        q_c, q_r = self.q(x).unflatten(-1, (a.n, -1)).transpose(1, 2).split([a.nope, a.rope], -1)
        c, k_r = self.down(x).split([a.lora, a.rope], -1)
        new = torch.cat([c, rope_half(k_r, pos)], -1)  # all that is kept of a position
        kept = new if cache is None else torch.cat([cache, new], 1)

        # query in the space of what is kept: [q_c·U | rotated q_r]
        q = torch.cat([torch.einsum("bnqd,ndl->bnql", q_c, self.k_up), rope_half(q_r, pos)], -1)
        s = torch.einsum("bnqe,bke->bnqk", q, kept) / (a.nope + a.rope) ** 0.5
        later = torch.arange(past + t, device=x.device) > pos[:, None]
        w = s.masked_fill(later, -torch.inf).softmax(-1)
        ctx = torch.einsum("bnqk,bkl->bnql", w, kept[..., : a.lora])
        y = torch.einsum("bnql,ndl->bqnd", ctx, self.v_up)
        return self.o(y.flatten(2)), kept
