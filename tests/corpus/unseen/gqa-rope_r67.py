"""mistral-inference style: wq / wk / wv / wo, ModelArgs, complex rotations, but in halves."""
import math
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import nn


@dataclass
class ModelArgs:
    dim: int
    n_heads: int
    n_kv_heads: int
    rope_theta: float = 10000.0

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads


def precompute_freqs_cis(dim: int, start: int, end: int, theta: float, device) -> torch.Tensor:
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float64, device=device) / dim))
    t = torch.arange(start, end, dtype=torch.float64, device=device)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(x: torch.Tensor, freqs_cis: torch.Tensor) -> torch.Tensor:
    wide = x.double() if x.dtype == torch.float64 else x.float()
    re, im = wide.chunk(2, dim=-1)                       # entry i and entry i + dim/2
    z = torch.complex(re.contiguous(), im.contiguous())
    z = z * freqs_cis[:, None, :].to(z.dtype)
    return torch.cat([z.real, z.imag], dim=-1).type_as(x)


def repeat_kv(keys: torch.Tensor, values: torch.Tensor, repeats: int, dim: int):
    return keys.repeat_interleave(repeats, dim=dim), values.repeat_interleave(repeats, dim=dim)


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.repeats = args.n_heads // args.n_kv_heads
        self.scale = args.head_dim**-0.5
        self.wq = nn.Linear(args.dim, args.n_heads * args.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * args.head_dim, args.dim, bias=False)

    def forward(self, x: torch.Tensor, cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None):
        bsz, seqlen, _ = x.shape
        d = self.args.head_dim
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = xq.view(bsz, seqlen, self.args.n_heads, d)
        xk = xk.view(bsz, seqlen, self.args.n_kv_heads, d)
        xv = xv.view(bsz, seqlen, self.args.n_kv_heads, d)

        seen = cache[0].shape[1] if cache is not None else 0
        freqs_cis = precompute_freqs_cis(d, seen, seen + seqlen, self.args.rope_theta, x.device)
        xq, xk = apply_rotary_emb(xq, freqs_cis), apply_rotary_emb(xk, freqs_cis)
        if cache is not None:
            xk, xv = torch.cat([cache[0], xk], dim=1), torch.cat([cache[1], xv], dim=1)
        key, val = repeat_kv(xk, xv, self.repeats, dim=2)

        query, key, val = xq.transpose(1, 2), key.transpose(1, 2), val.transpose(1, 2)
        scores = torch.matmul(query, key.transpose(2, 3)) * self.scale
        if seqlen > 1:
            mask = torch.full((seqlen, seen + seqlen), -math.inf, device=x.device, dtype=scores.dtype)
            scores = scores + torch.triu(mask, diagonal=seen + 1)
        probs = nn.functional.softmax(scores.float() if scores.dtype != torch.float64 else scores, -1)
        out = torch.matmul(probs.type_as(query), val).transpose(1, 2).reshape(bsz, seqlen, -1)
        return self.wo(out), (xk, xv)


class GroupedQueryAttentionWithRope(Attention):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, rope_theta: float = 10000.0):
        super().__init__(ModelArgs(dim, n_heads, n_kv_heads, rope_theta))
