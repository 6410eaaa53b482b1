# right: gqa-rope
import math
from dataclasses import dataclass
from typing import Dict, Optional, Tuple

import torch
from torch import nn


@dataclass
class ModelArgs:
    dim: int
    n_heads: int
    n_kv_heads: Optional[int] = None
    rope_theta: float = 10000.0


def precompute_freqs_cis(dim: int, start: int, end: int, theta: float, device=None):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: (dim // 2)].double() / dim))
    t = torch.arange(start, end, device=device, dtype=torch.float64)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)  # complex128


def reshape_for_broadcast(freqs_cis: torch.Tensor, x: torch.Tensor):
    ndim = x.ndim
    assert freqs_cis.shape == (x.shape[1], x.shape[-1])
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq, xk, freqs_cis) -> Tuple[torch.Tensor, torch.Tensor]:
    def as_complex(x):
        re, im = x.double().chunk(2, dim=-1)
        return torch.complex(re.contiguous(), im.contiguous())

    xq_, xk_ = as_complex(xq), as_complex(xk)
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out, xk_out = xq_ * freqs_cis, xk_ * freqs_cis
    xq_out = torch.cat((xq_out.real, xq_out.imag), dim=-1)
    xk_out = torch.cat((xk_out.real, xk_out.imag), dim=-1)
    return xq_out.type_as(xq), xk_out.type_as(xk)


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """torch.repeat_interleave(x, dim=2, repeats=n_rep)"""
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return (
        x[:, :, :, None, :]
        .expand(bs, slen, n_kv_heads, n_rep, head_dim)
        .reshape(bs, slen, n_kv_heads * n_rep, head_dim)
    )


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_kv_heads = args.n_heads if args.n_kv_heads is None else args.n_kv_heads
        self.n_local_heads = args.n_heads
        self.n_rep = self.n_local_heads // self.n_kv_heads
        self.head_dim = args.dim // args.n_heads
        self.theta = args.rope_theta

        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, self.n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, self.n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)

    def attention(self, x, past: Optional[Dict[str, torch.Tensor]]):
        bsz, seqlen, _ = x.shape
        start_pos = past["k"].shape[1] if past else 0
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = xq.view(bsz, seqlen, self.n_local_heads, self.head_dim)
        xk = xk.view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = xv.view(bsz, seqlen, self.n_kv_heads, self.head_dim)

        freqs_cis = precompute_freqs_cis(self.head_dim, start_pos, start_pos + seqlen, self.theta, x.device)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis=freqs_cis)

        if past:
            xk = torch.cat([past["k"], xk], dim=1)
            xv = torch.cat([past["v"], xv], dim=1)
        present = {"k": xk, "v": xv}

        keys = repeat_kv(xk, self.n_rep)
        values = repeat_kv(xv, self.n_rep)

        xq = xq.transpose(1, 2)
        keys = keys.transpose(1, 2)
        values = values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device)
            mask = torch.triu(mask, diagonal=1)
            # matrix of size (seqlen, cache_len + seqlen), columns j > cache_len + i are masked
            mask = torch.hstack([torch.zeros((seqlen, start_pos), device=x.device), mask]).type_as(x)
            scores = scores + mask
        scores = torch.softmax(scores, dim=-1).type_as(xq)
        output = torch.matmul(scores, values)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output), present


class GroupedQueryAttentionWithRope(Attention):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__(ModelArgs(hidden_dim, num_heads, num_kv_heads, base))

    def forward(self, x, cache=None):
        return self.attention(x, cache)
