import torch
import math


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_seqs, num_heads, head_size = query.shape
    block_size = key_pool.shape[1]
    num_kv_heads = key_pool.shape[2]
    queries_per_kv = num_heads // num_kv_heads
    scale = 1.0 / math.sqrt(head_size)
    outputs = []
    for i in range(num_seqs):
        seq_len = int(lengths[i].item())
        num_blocks = seq_len // block_size
        keys_lst = []
        values_lst = []
        for j in range(num_blocks):
            block_number = int(block_table[i, j].item())
            keys_lst.append(key_pool[block_number])
            values_lst.append(value_pool[block_number])
        if len(keys_lst) == 0:
            outputs.append(torch.zeros_like(query[i]))
            continue
        keys = torch.cat(keys_lst, dim=0)[:seq_len]
        values = torch.cat(values_lst, dim=0)[:seq_len]
        keys = torch.repeat_interleave(keys, queries_per_kv, dim=1)
        values = torch.repeat_interleave(values, queries_per_kv, dim=1)
        attn_weights = scale * torch.einsum("hd,khd->hk", query[i], keys)
        attn_weights = torch.softmax(attn_weights.float() if query.dtype != torch.float64 else attn_weights, dim=-1)
        outputs.append(torch.einsum("hk,khd->hd", attn_weights.to(values.dtype), values))
    return torch.stack(outputs)
