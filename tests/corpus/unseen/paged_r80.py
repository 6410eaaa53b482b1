import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    nb, bs, G, D = key_pool.shape
    B, H, _ = query.shape
    flat_k, flat_v = key_pool.reshape(nb * bs, G, D), value_pool.reshape(nb * bs, G, D)
    result = query.new_empty(B, H, D)
    for b, length in enumerate(lengths.tolist()):
        slots = [int(block_table[b, t // bs]) * bs + t % bs for t in range(length)]
        for h in range(H):
            g = h * G // H
            k = flat_k[slots, g]
            s = torch.mv(k, query[b, h]) / D**0.5
            result[b, h] = torch.softmax(s, 0) @ flat_v[slots, g]
    return result
