"""paged_attention_v1, thread block by thread block: grid (batch, kv_heads), a loop over the pages."""
import math

import torch


class OnlineSoftmax:
    def __init__(self, rows, dim, like):
        self.peak = like.new_full((rows, 1), -math.inf)
        self.total = like.new_zeros((rows, 1))
        self.context = like.new_zeros((rows, dim))

    def page(self, s, v):
        peak = torch.maximum(self.peak, s.amax(1, keepdim=True))
        fade, e = torch.exp(self.peak - peak), torch.exp(s - peak)
        self.total = self.total * fade + e.sum(1, keepdim=True)
        self.context = self.context * fade + e @ v
        self.peak = peak

    def result(self):
        return self.context / self.total


@torch.no_grad()
def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    group = heads // kv_heads
    out = torch.empty_like(query)
    for b in range(batch):
        left = int(lengths[b])
        pages = block_table[b, : math.ceil(left / block_size)].tolist()
        for g in range(kv_heads):
            rows = slice(g * group, (g + 1) * group)
            q = query[b, rows].to(torch.promote_types(query.dtype, torch.float32)) / math.sqrt(dim)
            run = OnlineSoftmax(group, dim, q)
            for n, page in enumerate(pages):
                used = min(block_size, left - n * block_size)
                k = key_pool[page, :used, g].to(q.dtype)
                v = value_pool[page, :used, g].to(q.dtype)
                run.page(q @ k.T, v)
            out[b, rows] = run.result().to(out.dtype)
    return out
