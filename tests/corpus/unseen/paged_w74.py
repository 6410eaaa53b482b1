"""Paged attention, one pass over the pages of a sequence with a running softmax."""
import math

import torch


class Accumulator:
    """sum of exp(s) * v, kept relative to the largest s so far"""

    def __init__(self, heads, dim, dtype, device):
        self.peak = torch.zeros(heads, 1, dtype=dtype, device=device)
        self.total = torch.zeros(heads, 1, dtype=dtype, device=device)
        self.value = torch.zeros(heads, dim, dtype=dtype, device=device)

    def add(self, s, v):
        # s (heads, n), v (heads, n, dim)
        peak = torch.maximum(self.peak, s.max(dim=1, keepdim=True).values)
        fade = torch.exp(self.peak - peak)
        e = torch.exp(s - peak)
        self.total = self.total * fade + e.sum(dim=1, keepdim=True)
        self.value = self.value * fade + torch.einsum("hn,hnd->hd", e, v)
        self.peak = peak

    def result(self):
        return self.value / self.total


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    heads, dim = query.shape[1:]
    block_size, kv_heads = key_pool.shape[1:3]
    dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
    # which kv head serves each query head
    serve = torch.arange(heads, device=query.device) // (heads // kv_heads)

    out = []
    for b in range(len(query)):
        n = int(lengths[b])
        acc = Accumulator(heads, dim, dtype, query.device)
        q = query[b].to(dtype) / math.sqrt(dim)
        for i, start in enumerate(range(0, n, block_size)):
            page = int(block_table[b, i])
            stop = min(block_size, n - start)
            k = key_pool[page, :stop, serve].to(dtype).transpose(0, 1)
            v = value_pool[page, :stop, serve].to(dtype).transpose(0, 1)
            acc.add(torch.einsum("hd,hnd->hn", q, k), v)
        out.append(acc.result())
    return torch.stack(out).to(query.dtype)
