# Walks the table as a kernel does: block after block for all sequences, with a running softmax.
import math

import torch


@torch.no_grad()
def paged_attention(query, key_pool, value_pool, block_table, lengths):
    acc = torch.promote_types(query.dtype, torch.float32)
    block, kv_heads = key_pool.shape[1:3]
    q = query.to(acc).unflatten(1, (kv_heads, -1)) / math.sqrt(query.shape[-1])      # b g r d
    top = q.new_full(q.shape[:-1], -math.inf)
    total, mix = torch.zeros_like(top), torch.zeros_like(q)
    alive = torch.arange(len(q), device=q.device)
    for turn in range(-(-int(lengths.max()) // block)):
        alive = alive[lengths[alive] > turn * block]         # those with a token in this block
        page = block_table[alive, turn].long()
        k, v = key_pool[page].to(acc), value_pool[page].to(acc)
        s = torch.einsum("bgrd,bngd->bgrn", q[alive], k)
        place = torch.arange(turn * block, (turn + 1) * block, device=q.device)
        s = s.masked_fill((place >= lengths[alive, None])[:, None, None], -math.inf)
        new = torch.maximum(top[alive], s.amax(-1))
        e, fade = torch.exp(s - new.unsqueeze(-1)), torch.exp(top[alive] - new)
        total[alive] = total[alive] * fade + e.sum(-1)
        mix[alive] = mix[alive] * fade.unsqueeze(-1) + torch.einsum("bgrn,bngd->bgrd", e, v)
        top[alive] = new
    return (mix / total.unsqueeze(-1)).flatten(1, 2).to(query.dtype)
