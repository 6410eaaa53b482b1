# right: gqa
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class TransformerArgs:
    dim: int = 288
    n_heads: int = 6
    n_kv_heads: Optional[int] = None
    norm_eps: float = 1e-5
    head_width: Optional[int] = None


class GroupedAttention(nn.Module):
    def __init__(self, args: TransformerArgs):
        super().__init__()
        self.kv = args.n_heads if args.n_kv_heads is None else args.n_kv_heads
        self.q_per_kv = args.n_heads // self.kv
        self.width = args.head_width or args.dim // args.n_heads
        self.to_q = nn.Linear(args.dim, args.n_heads * self.width, bias=False)
        self.to_k = nn.Linear(args.dim, self.kv * self.width, bias=False)
        self.to_v = nn.Linear(args.dim, self.kv * self.width, bias=False)
        self.to_out = nn.Linear(args.n_heads * self.width, args.dim, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.to_q(x).view(b, t, self.kv, self.q_per_kv, self.width)
        k = self.to_k(x).view(b, t, self.kv, self.width)
        v = self.to_v(x).view(b, t, self.kv, self.width)
        scores = torch.einsum("bqgrd,bkgd->bgrqk", q, k) * self.width**-0.5
        scores = scores.flatten(1, 2)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1).unflatten(1, (self.kv, self.q_per_kv))
        return self.to_out(torch.einsum("bgrqk,bkgd->bqgrd", weights, v).flatten(2))
