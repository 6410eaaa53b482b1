# attn-kata: paged
import math

import torch
import torch.nn.functional as F


def token_slots(table_row, length, block_size):
    """token 0..length-1 在池子里的 (块号, 块内位置)"""
    t = torch.arange(length, device=table_row.device)
    return table_row[t // block_size].long(), t % block_size


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    heads, head_dim = query.shape[1:]
    block_size, kv_heads = key_pool.shape[1:3]
    head_of = torch.arange(heads, device=query.device) % kv_heads
    rows = []
    for q, table_row, n in zip(query, block_table, lengths.tolist()):
        block, place = token_slots(table_row, n, block_size)
        k = key_pool[block, place][:, head_of]          # (n, heads, head_dim)
        v = value_pool[block, place][:, head_of]
        s = (k * q).sum(dim=-1) / math.sqrt(head_dim)   # (n, heads)
        w = F.softmax(s, dim=0)
        rows.append((w.unsqueeze(-1) * v).sum(dim=0))
    return torch.stack(rows)
