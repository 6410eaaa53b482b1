"""Paged decode attention, written the way I would prototype the CUDA kernel first."""
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    n_seq, n_q_heads, d = query.shape
    _, page, n_kv, _ = key_pool.shape
    per_kv = n_q_heads // n_kv
    acc_t = torch.float64 if query.dtype == torch.float64 else torch.float32

    out = torch.empty_like(query)
    for seq in range(n_seq):
        ctx_len = int(lengths[seq])
        n_pages = (ctx_len + page - 1) // page
        pages = block_table[seq, :n_pages].long()

        # (n_pages, page, n_kv, d) -> (ctx_len, n_kv, d)
        k = key_pool.index_select(0, pages).flatten(0, 1)[:ctx_len].to(acc_t)
        v = value_pool.index_select(0, pages).flatten(0, 1)[:ctx_len].to(acc_t)

        q = query[seq].to(acc_t).reshape(n_kv, per_kv, d)
        logits = torch.einsum("gpd,tgd->gpt", q, k) / math.sqrt(d)
        probs = logits.softmax(dim=-1)
        out[seq] = torch.einsum("gpt,tgd->gpd", probs, v).reshape(n_q_heads, d).to(query.dtype)
    return out
