from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn

Past = Tuple[torch.Tensor, torch.Tensor]


@dataclass
class ModelArgs:
    dim: int
    n_heads: int
    n_kv_heads: int
    rope_theta: float = 10000.0

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads


def precompute_freqs(head_dim: int, start: int, end: int, theta: float, device) -> Tuple[torch.Tensor, torch.Tensor]:
    freqs = theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64, device=device) / head_dim)
    t = torch.arange(start, end, dtype=torch.float64, device=device)
    freqs = torch.outer(t, freqs)
    return torch.cos(freqs), torch.sin(freqs)


def apply_rotary_emb(x: torch.Tensor, freqs) -> torch.Tensor:
    """x: (bsz, seqlen, heads, head_dim), halves"""
    cos, sin = (f.to(x.dtype)[:, None, :] for f in freqs)
    x_r, x_i = x.split(x.shape[-1] // 2, dim=-1)
    return torch.cat((x_r * cos - x_i * sin, x_r * sin + x_i * cos), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.args = args = ModelArgs(hidden_dim, num_heads, num_kv_heads, base)
        self.wq = nn.Linear(args.dim, args.n_heads * args.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * args.head_dim, args.dim, bias=False)

    def forward(self, x: torch.Tensor, cache: Optional[Past] = None) -> Tuple[torch.Tensor, Past]:
        args = self.args
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, args.n_heads, args.head_dim)
        xk = self.wk(x).view(bsz, seqlen, args.n_kv_heads, args.head_dim)
        xv = self.wv(x).view(bsz, seqlen, args.n_kv_heads, args.head_dim)

        start_pos = 0 if cache is None else cache[0].shape[1]
        freqs = precompute_freqs(args.head_dim, start_pos, start_pos + seqlen, args.rope_theta, x.device)
        xq, xk = apply_rotary_emb(xq, freqs), apply_rotary_emb(xk, freqs)

        mask = None
        if cache is None:
            # prefill; later tokens come behind everything that is cached
            mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        else:
            xk = torch.cat([cache[0], xk], dim=1)
            xv = torch.cat([cache[1], xv], dim=1)

        xq = xq.view(bsz, seqlen, args.n_kv_heads, -1, args.head_dim)
        scores = torch.einsum("bqkgd,bskd->bkgqs", xq, xk) / args.head_dim**0.5
        if mask is not None:
            scores = scores + mask
        output = torch.einsum("bkgqs,bskd->bqkgd", F.softmax(scores, dim=-1), xv)
        return self.wo(output.reshape(bsz, seqlen, -1)), (xk, xv)
