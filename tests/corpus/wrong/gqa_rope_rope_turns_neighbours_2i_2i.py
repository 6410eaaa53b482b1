# wrong: gqa-rope rope-wrong-pairing line 16
# fair: rope-wrong-pairing 17
import math

import torch
from torch import nn


def precompute_freqs_cis(dim, start, end, theta, device):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: (dim // 2)].double() / dim))
    freqs = torch.outer(torch.arange(start, end, device=device).double(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(x, freqs_cis):
    x_ = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis[None, :, None, :]).flatten(3).type_as(x)


def repeat_kv(x, n_rep):
    bs, slen, n_kv_heads, head_dim = x.shape
    return x[:, :, :, None, :].expand(bs, slen, n_kv_heads, n_rep, head_dim).reshape(bs, slen, -1, head_dim)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_heads, self.n_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.shape
        start_pos = cache[0].shape[1] if cache is not None else 0
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        freqs_cis = precompute_freqs_cis(self.head_dim, start_pos, start_pos + seqlen, self.base, x.device)
        xq, xk = apply_rotary_emb(xq, freqs_cis), apply_rotary_emb(xk, freqs_cis)
        if cache is not None:
            xk, xv = torch.cat([cache[0], xk], 1), torch.cat([cache[1], xv], 1)
        cache = (xk, xv)
        keys = repeat_kv(xk, self.n_heads // self.n_kv_heads).transpose(1, 2)
        values = repeat_kv(xv, self.n_heads // self.n_kv_heads).transpose(1, 2)
        scores = xq.transpose(1, 2) @ keys.transpose(2, 3) / math.sqrt(self.head_dim)
        mask = torch.full((seqlen, start_pos + seqlen), float("-inf"), device=x.device, dtype=x.dtype)
        scores = scores + torch.triu(mask, diagonal=start_pos + 1)
        out = scores.softmax(-1) @ values
        return self.wo(out.transpose(1, 2).reshape(bsz, seqlen, -1)), cache
