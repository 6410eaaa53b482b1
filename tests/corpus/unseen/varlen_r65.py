import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    out = lengths.new_zeros(lengths.numel() + 1, dtype=torch.int64)
    torch.cumsum(lengths, 0, out=out[1:])
    return out


def document_mask(lengths, total):
    n = lengths.numel()
    number = torch.full((total,), -1, dtype=torch.int64, device=lengths.device)
    ids = torch.arange(n, device=lengths.device).repeat_interleave(lengths.long())
    number[: ids.numel()].copy_(ids)
    return number.unsqueeze(0).eq(number.unsqueeze(1)).logical_and_(number.ge(0))


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, d = query.shape
    sizes = lengths.tolist()
    q = query.mul(d ** -0.5).transpose(0, 1)
    k, v = key.permute(1, 2, 0), value.transpose(0, 1)
    out = torch.zeros_like(query)
    at = 0
    for n in sizes:
        if not n:
            continue
        s = torch.bmm(q.narrow(1, at, n), k.narrow(2, at, n))
        if causal:
            s = s.masked_fill_(s.new_ones(n, n, dtype=torch.bool).triu_(1), float("-inf"))
        out[at : at + n] = torch.bmm(F.softmax(s, -1), v.narrow(1, at, n)).transpose(0, 1)
        at += n
    return out
