# right: paged
import torch

NEG_INF = float("-inf")


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    per_block = key_pool.shape[1]
    kv_heads = key_pool.shape[2]
    rep = heads // kv_heads

    # (b, m, p, g, d): keep blocks and slots apart until the end
    K = torch.index_select(key_pool, 0, block_table.reshape(-1)).view(*block_table.shape, *key_pool.shape[1:])
    V = torch.index_select(value_pool, 0, block_table.reshape(-1)).view(*block_table.shape, *value_pool.shape[1:])
    Q = query.reshape(batch, 1, 1, kv_heads, rep, dim)

    S = (Q * K.unsqueeze(4)).sum(-1) / dim ** 0.5            # b m p g r
    first = torch.arange(block_table.shape[1], device=query.device) * per_block
    index = first[:, None] + torch.arange(per_block, device=query.device)
    S = S + torch.where(index < lengths.view(-1, 1, 1), 0.0, NEG_INF).to(S.dtype)[..., None, None]

    W = S.flatten(1, 2).softmax(1).view_as(S)
    O = (W.unsqueeze(-1) * V.unsqueeze(4)).sum((1, 2))        # b g r d
    return O.reshape(batch, heads, dim)
