import math
import torch


def slots_of(row, length, block_size):
    """where the tokens 0 ... length - 1 lie in the flat pool"""
    t = torch.arange(length, device=row.device)
    return row[t // block_size].long() * block_size + t % block_size


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    block_size = key_pool.size(1)
    flat_k, flat_v = key_pool.flatten(0, 1), value_pool.flatten(0, 1)
    repeats = query.size(1) // key_pool.size(2)

    def one(q, row, length):
        at = slots_of(row, length, block_size)
        # (length, kv_heads, head_dim) -> (heads, length, head_dim), neighbours share
        k, v = (p[at].movedim(0, 1).repeat_interleave(repeats, dim=0) for p in (flat_k, flat_v))
        if q.dtype != torch.float64:
            q, k, v = q.float(), k.float(), v.float()
        s = torch.matmul(k, q.unsqueeze(-1)).squeeze(-1) / math.sqrt(q.size(-1))
        return torch.matmul(s.softmax(-1).unsqueeze(1), v).squeeze(1)

    rows = [one(q, row, n) for q, row, n in zip(query, block_table, lengths.tolist())]
    return torch.stack(rows).to(query.dtype)
