import torch
import torch.nn.functional as F


class Pages:
    def __init__(self, pool, table):
        self.flat = pool.flatten(0, 1)  # (slots, kv_heads, head_dim)
        self.size = pool.shape[1]
        self.table = table

    def slots(self, row, n):
        tokens = torch.arange(n, device=self.table.device)
        block, place = tokens.div(self.size, rounding_mode="floor"), tokens.fmod(self.size)
        return self.table[row].long().take(block) * self.size + place

    def tokens(self, row, n):
        return self.flat.index_select(0, self.slots(row, n)).transpose(0, 1)


def _one(q, k, v):
    kv_heads, n, dim = k.shape
    q = q.unflatten(0, (kv_heads, -1))
    w = F.softmax(q.matmul(k.mT) * dim**-0.5, dim=-1)
    return w.matmul(v).flatten(0, 1)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    keys, values = Pages(key_pool, block_table), Pages(value_pool, block_table)
    rows = ((q, keys.tokens(b, n), values.tokens(b, n)) for b, (q, n) in enumerate(zip(query, lengths.tolist())))
    return torch.stack([_one(*r) for r in rows])
