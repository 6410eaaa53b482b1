import math

import torch


class Precision:
    """with Precision(x) as p: p.up(...) in float32 for half types; p.down(...) back."""

    def __init__(self, like):
        self.dtype = like.dtype
        self.wide = torch.float32 if like.dtype in (torch.float16, torch.bfloat16) else like.dtype

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def up(self, *tensors):
        return tuple(t.to(self.wide) for t in tensors)

    def down(self, t):
        return t.to(self.dtype)


def partial_attention(q, k, v, hidden):
    """Softmax over these keys alone, and the logarithm of its normaliser."""
    s = (q @ k.transpose(-1, -2)) * (q.size(-1) ** -0.5)
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.exp(s - lse) @ v, lse


def combine(left, right):
    (a, la), (b, lb) = left, right
    lse = torch.logaddexp(la, lb)
    return a * torch.exp(la - lse) + b * torch.exp(lb - lse), lse


def flash_attention(query, key, value, block_size, causal=False):
    n = query.size(2)
    output = torch.empty_like(query)
    with Precision(query) as p:
        for top in range(0, n, block_size):
            rows = slice(top, top + block_size)
            (q,) = p.up(query[:, :, rows])
            acc = None
            for left in range(0, min(top + block_size, n) if causal else n, block_size):
                cols = slice(left, left + block_size)
                k, v = p.up(key[:, :, cols], value[:, :, cols])
                hidden = None
                if causal and left == top:  # only the tile on the diagonal is cut
                    hidden = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=q.device).triu(1)
                piece = partial_attention(q, k, v, hidden)
                acc = piece if acc is None else combine(acc, piece)
            output[:, :, rows] = p.down(acc[0])
    return output
