import torch
from torch import Tensor


def _slots(table_row: Tensor, length: int, block_size: int) -> Tensor:
    """Flat places in the pool of tokens 0 .. length - 1."""
    t = torch.arange(length, device=table_row.device)
    return table_row.long()[t // block_size] * block_size + t % block_size


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    block_size, kv = key_pool.shape[1], key_pool.shape[2]
    flat_k, flat_v = key_pool.flatten(0, 1), value_pool.flatten(0, 1)
    out = torch.empty_like(query)
    for i in range(b):
        at = _slots(block_table[i], int(lengths[i]), block_size)
        k = flat_k[at].permute(1, 2, 0)          # (kv, d, t)
        v = flat_v[at].permute(1, 0, 2)          # (kv, t, d)
        q = query[i].reshape(kv, h // kv, d)
        w = torch.softmax(q @ k * d ** -0.5, dim=-1)
        out[i] = (w @ v).reshape(h, d)
    return out
