import torch


# 变长序列: 逐个序列做注意力, 不做 padding
def cumulative_lengths(lengths):
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths.to(torch.int64), 0)])


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    pos = torch.arange(total, device=lengths.device)
    # (batch, total): 位置属于哪个序列
    member = (pos >= cu[:-1, None]) & (pos < cu[1:, None])
    # 每个位置最多属于一个序列
    return (member[:, :, None] & member[:, None, :]).any(0)


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, dim = query.shape
    parts, begin = [], 0
    for n in lengths.tolist():
        if n == 0:
            continue
        q = query[begin:begin + n].permute(1, 0, 2) * dim ** -0.5
        k = key[begin:begin + n].permute(1, 2, 0)
        v = value[begin:begin + n].permute(1, 0, 2)
        w = torch.bmm(q, k)
        if causal:
            i = torch.arange(n, device=w.device)
            w = w.masked_fill(i[None, :] > i[:, None], float("-inf"))
        parts.append(torch.bmm(w.softmax(2), v).permute(1, 0, 2))
        begin += n
    parts.append(query.new_zeros(total - begin, heads, dim))   # 空位置
    return torch.cat(parts, 0)
