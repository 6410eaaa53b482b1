# wrong: paged max-from-zero line 14
"""Paged attention, one pass over the pages of a sequence with a running softmax."""
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    heads, dim = query.shape[1:]
    block_size, kv_heads = key_pool.shape[1:3]
    serve = torch.arange(heads, device=query.device) // (heads // kv_heads)
    out = torch.empty_like(query)
    for b in range(len(query)):
        m = query.new_zeros(heads, 1)
        z, o = query.new_zeros(heads, 1), torch.zeros_like(query[b])
        for t in range(int(lengths[b])):
            page, slot = int(block_table[b, t // block_size]), t % block_size
            s = (query[b] * key_pool[page, slot, serve]).sum(-1, keepdim=True) / math.sqrt(dim)
            new = torch.maximum(m, s)
            z = z * (m - new).exp() + (s - new).exp()
            o = o * (m - new).exp() + (s - new).exp() * value_pool[page, slot, serve]
            m = new
        out[b] = o / z
    return out
