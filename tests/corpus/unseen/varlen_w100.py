# 变长序列的注意力: 先切开, 再逐段计算
import math
import torch


def cumulative_lengths(lengths):
    out = [0]
    for n in lengths.tolist():
        out.append(out[-1] + n)
    return torch.tensor(out, dtype=torch.int64, device=lengths.device)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    pos = torch.arange(total, device=lengths.device)
    inside = (pos >= cu[:-1, None]) & (pos < cu[1:, None])        # (batch, total)
    return (inside[:, :, None] & inside[:, None, :]).any(dim=0)


def attend(q, k, v, causal):
    # (n, heads, d) -> (heads, n, d)
    q, k, v = q.movedim(1, 0), k.movedim(1, 0), v.movedim(1, 0)
    if q.dtype in (torch.float16, torch.bfloat16):
        q, k, v = q.float(), k.float(), v.float()
    s = torch.matmul(q, k.mT) / math.sqrt(q.shape[-1])
    if causal:
        s = s + torch.full(s.shape[1:], float("-inf"), dtype=s.dtype, device=s.device).triu(1)
    return torch.matmul(torch.softmax(s, dim=-1), v).movedim(0, 1)


def varlen_attention(query, key, value, lengths, causal=False):
    sizes = lengths.tolist()
    # split 要求总和等于 total
    sizes.append(query.shape[0] - sum(sizes))
    parts = zip(query.split(sizes), key.split(sizes), value.split(sizes))
    outs = [attend(q, k, v, causal) for q, k, v in parts]
    return torch.cat(outs, dim=0).to(query.dtype)
