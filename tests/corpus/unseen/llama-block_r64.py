# attn-kata: llama-block
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class ModelArgs:
    dim: int
    n_heads: int
    n_kv_heads: int
    ffn_dim: int
    norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.weight


def apply_rotary(x: Tensor, freqs: Tensor) -> Tensor:
    """As complex numbers: the first half of a head is real, the second imaginary."""
    re, im = x.to(freqs.real.dtype).chunk(2, dim=-1)
    turned = torch.complex(re.contiguous(), im.contiguous()) * freqs[:, None, :]
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.wq = nn.Linear(args.dim, args.n_heads * args.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * args.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * args.head_dim, args.dim, bias=False)

    def forward(self, x: Tensor, freqs: Tensor) -> Tensor:
        bsz, seqlen, _ = x.shape
        xq, xk, xv = (w(x).unflatten(-1, (-1, self.args.head_dim)) for w in (self.wq, self.wk, self.wv))
        xq, xk = apply_rotary(xq, freqs), apply_rotary(xk, freqs)
        share = self.args.n_heads // self.args.n_kv_heads
        xk, xv = (t.repeat_interleave(share, dim=2).transpose(1, 2) for t in (xk, xv))
        scores = xq.transpose(1, 2) @ xk.transpose(2, 3) * self.args.head_dim ** -0.5
        position = torch.arange(seqlen, device=x.device)
        scores = scores.masked_fill(position[None, :] > position[:, None], float("-inf"))
        out = scores.softmax(-1) @ xv
        return self.wo(out.transpose(1, 2).reshape(bsz, seqlen, -1))


class FeedForward(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.w1 = nn.Linear(args.dim, args.ffn_dim, bias=False)
        self.w2 = nn.Linear(args.ffn_dim, args.dim, bias=False)
        self.w3 = nn.Linear(args.dim, args.ffn_dim, bias=False)
        self.act = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(self.act(self.w1(x)) * self.w3(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int):
        super().__init__()
        args = ModelArgs(dim=hidden_dim, n_heads=num_heads, n_kv_heads=num_kv_heads, ffn_dim=mlp_dim)
        self.attention, self.feed_forward = Attention(args), FeedForward(args)
        self.attention_norm = RMSNorm(args.dim, args.norm_eps)
        self.ffn_norm = RMSNorm(args.dim, args.norm_eps)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        wide = torch.promote_types(cos.dtype, torch.float32)
        freqs = torch.complex(cos.to(wide).contiguous(), sin.to(wide).contiguous())
        h = x + self.attention(self.attention_norm(x), freqs)
        return h + self.feed_forward(self.ffn_norm(h))
