import torch


def _blocks_needed(n, size):
    return (n + size - 1) // size


def _sequence(pool, row, n):
    size = pool.shape[1]
    used = row[: _blocks_needed(n, size)].long()
    tokens = pool.index_select(0, used).reshape(-1, *pool.shape[2:])
    return tokens


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    groups = heads // key_pool.shape[2]
    out = torch.empty_like(query)
    for i in range(batch):
        n = int(lengths[i])
        k = _sequence(key_pool, block_table[i], n).repeat_interleave(groups, dim=1)
        v = _sequence(value_pool, block_table[i], n).repeat_interleave(groups, dim=1)
        s = (query[i].unsqueeze(1) @ k.permute(1, 2, 0)).squeeze(1) * dim ** -0.5
        s = s - s.max(-1, keepdim=True).values
        p = s.exp() / s.exp().sum(-1, keepdim=True)
        out[i] = (p.unsqueeze(1) @ v.transpose(0, 1)).squeeze(1)
    return out
