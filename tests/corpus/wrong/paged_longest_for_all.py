# wrong: paged lengths-ignored line 12
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    g = key_pool.shape[2]
    n = lengths.max()
    # padded to the longest of the batch
    k = key_pool[block_table].flatten(1, 2)[:, :n]
    v = value_pool[block_table].flatten(1, 2)[:, :n]
    s = torch.einsum("bgrd,bngd->bgrn", query.view(b, g, h // g, d), k) / d ** 0.5
    a = torch.softmax(s, dim=-1)
    return torch.einsum("bgrn,bngd->bgrd", a, v).reshape(b, h, d)
