# right: paged
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    KV = key_pool.size(2)
    k = key_pool[block_table].flatten(1, 2).transpose(1, 2)  # B, KV, S, D
    v = value_pool[block_table].flatten(1, 2).transpose(1, 2)
    q = query.view(B, KV, H // KV, D)
    s = q @ k.transpose(-1, -2) * D ** -0.5  # B, KV, G, S
    valid = torch.arange(k.size(2), device=q.device)[None] < lengths[:, None]
    s = s.masked_fill(~valid[:, None, None], float("-inf"))
    return (s.softmax(-1) @ v).reshape(B, H, D)
