import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    block_size, KV = key_pool.shape[1], key_pool.shape[2]
    out = []
    for b in range(B):
        n = int(lengths[b])
        used = math.ceil(n / block_size)
        blocks = block_table[b, :used].tolist()
        keys = [key_pool[i] for i in blocks]
        values = [value_pool[i] for i in blocks]
        # the last block is only partly filled
        tail = n % block_size
        keys[-1] = keys[-1][:tail]
        values[-1] = values[-1][:tail]
        k = torch.cat(keys).float().repeat_interleave(H // KV, dim=1)
        v = torch.cat(values).float().repeat_interleave(H // KV, dim=1)
        s = torch.einsum("hd,thd->ht", query[b].float(), k) / math.sqrt(D)
        out.append(torch.einsum("ht,thd->hd", s.softmax(-1), v))
    return torch.stack(out).to(query.dtype)
