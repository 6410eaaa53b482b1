# wrong: paged full-block-dropped line 11
# paged attention — my notebook version
import torch, math


def gather_tokens(pool, table_row, n_tokens):
    """collect a sequence's tokens page after page, cut the last page where the sequence ends"""
    bs = pool.shape[1]
    n_pages = math.ceil(n_tokens / bs)
    pages = [pool[int(p)] for p in table_row[:n_pages]]
    pages[-1] = pages[-1][: n_tokens % bs]
    return torch.cat(pages, dim=0)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    bsz, nh, hd = query.shape
    nkv = key_pool.shape[2]
    if int(lengths.max()) == 0:
        return torch.zeros_like(query)
    rows = []
    for b in range(bsz):
        n = lengths[b].item()
        k = gather_tokens(key_pool, block_table[b], n)
        v = gather_tokens(value_pool, block_table[b], n)
        k = k.repeat_interleave(nh // nkv, dim=1)   # n, nh, hd
        v = v.repeat_interleave(nh // nkv, dim=1)
        att = (query[b].unsqueeze(0).double() * k.double()).sum(-1) / math.sqrt(hd)   # n, nh
        att = att.softmax(0).to(v.dtype)
        rows.append((att.unsqueeze(-1) * v).sum(0))
    return torch.stack(rows)
