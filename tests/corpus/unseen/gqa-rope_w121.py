from typing import NamedTuple

import torch
from torch import Tensor, nn


class Config(NamedTuple):
    dim: int = 128
    n_heads: int = 8
    n_kv_heads: int = 2
    rope_theta: float = 10000.0


def precompute_cos_sin(dim: int, start: int, end: int, device, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device, dtype=torch.float64) / dim))
    t = torch.arange(start, end, device=device, dtype=torch.float64)
    freqs = torch.outer(t, freqs)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def rotate_half(x: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_emb(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return x * cos.to(x.dtype) + rotate_half(x) * sin.to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, args: Config):
        super().__init__()
        self.args = args
        self.n_rep = args.n_heads // args.n_kv_heads
        self.head_dim = args.dim // args.n_heads

        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)

    def forward(self, x: Tensor, cache=None):
        bsz, seqlen, _ = x.shape
        start_pos = 0 if cache is None else cache[0].shape[2]

        xq = self.wq(x).view(bsz, seqlen, self.args.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.args.n_kv_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.args.n_kv_heads, self.head_dim).transpose(1, 2)

        cos, sin = precompute_cos_sin(self.head_dim, start_pos, start_pos + seqlen, x.device)
        xq = apply_rotary_emb(xq, cos, sin)
        xk = apply_rotary_emb(xk, cos, sin)

        if cache is not None:
            xk = torch.cat((cache[0], xk), dim=2)
            xv = torch.cat((cache[1], xv), dim=2)
        new_cache = (xk, xv)

        keys = torch.repeat_interleave(xk, self.n_rep, dim=1)
        values = torch.repeat_interleave(xv, self.n_rep, dim=1)

        scores = xq @ keys.transpose(2, 3) / self.head_dim**0.5
        mask = torch.full((seqlen, keys.shape[2]), float("-inf"), device=x.device, dtype=x.dtype)
        mask = torch.triu(mask, diagonal=start_pos + 1)
        scores = torch.softmax(scores + mask, dim=-1)

        output = (scores @ values).transpose(1, 2).reshape(bsz, seqlen, -1)
        return self.wo(output), new_cache
