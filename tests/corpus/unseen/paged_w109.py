import math
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    N, bs, KV, _ = key_pool.shape
    M = block_table.size(1)
    # one gather for all sequences
    tbl = block_table.long()
    k = key_pool[tbl].reshape(B, M * bs, KV, D)
    v = value_pool[tbl].reshape(B, M * bs, KV, D)
    g = H // KV
    q = query.reshape(B, g, KV, D)
    s = torch.einsum("bgkd,btkd->bgkt", q, k) / math.sqrt(D)
    pad = torch.arange(M * bs, device=query.device) >= lengths[:, None]
    s = s.masked_fill(pad[:, None, None, :], float("-inf"))
    o = torch.einsum("bgkt,btkd->bgkd", s.softmax(-1), v)
    return o.reshape(B, H, D)
