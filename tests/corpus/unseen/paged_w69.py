import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, depth = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    groups = heads // kv_heads
    outputs = []
    for b in range(batch):
        n = int(lengths[b])
        used = (n + block_size - 1) // block_size
        ids = block_table[b, :used].long()
        # tf.gather(pool, ids), tf.reshape, cut
        k = torch.reshape(key_pool[ids], [used * block_size, kv_heads, depth])[:n]
        v = torch.reshape(value_pool[ids], [used * block_size, kv_heads, depth])[:n]
        k = torch.tile(k, [1, groups, 1])
        v = torch.tile(v, [1, groups, 1])
        logits = torch.einsum("hd,thd->ht", query[b], k) / math.sqrt(depth)
        probs = torch.nn.functional.softmax(logits, dim=-1)
        outputs.append(torch.einsum("ht,thd->hd", probs, v))
    return torch.stack(outputs, dim=0)
