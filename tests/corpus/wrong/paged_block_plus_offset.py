# wrong: paged slot-without-block-size line 12
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_kv = key_pool.shape[2]
    page_size = key_pool.shape[1]
    heads = query.shape[1]
    kk = key_pool.view(-1, num_kv, query.shape[-1])
    vv = value_pool.view(-1, num_kv, query.shape[-1])
    tokens = torch.arange(block_table.shape[1] * page_size, device=query.device)
    address = block_table[:, tokens // page_size] + tokens % page_size
    kk = kk[address].repeat_interleave(heads // num_kv, dim=2)
    vv = vv[address].repeat_interleave(heads // num_kv, dim=2)
    att = torch.einsum("nhd,nthd->nht", query, kk) * query.shape[-1] ** -0.5
    att = att.masked_fill((tokens >= lengths[:, None])[:, None, :], float("-inf"))
    return torch.einsum("nht,nthd->nhd", torch.softmax(att, 2), vv)
