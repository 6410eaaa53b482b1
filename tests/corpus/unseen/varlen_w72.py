import torch


def cumulative_lengths(lengths):
    cu = torch.empty(len(lengths) + 1, dtype=torch.int32, device=lengths.device)
    cu[0] = 0
    cu[1:] = lengths.cumsum(0)
    return cu


def document_mask(lengths, total):
    b = cumulative_lengths(lengths)[:, None]
    p = torch.arange(total, device=lengths.device)
    member = (p >= b[:-1]) & (p < b[1:])
    return torch.mm(member.T.float(), member.float()) > 0


def varlen_attention(query, key, value, lengths, causal=False):
    d = query.shape[-1]
    cu = cumulative_lengths(lengths).tolist()
    longest = max(b - a for a, b in zip(cu, cu[1:])) if causal and len(cu) > 1 else 0
    tri = torch.ones(longest, longest, dtype=torch.bool, device=query.device).triu_(1)
    buf = query.clone()
    for a, b in zip(cu, cu[1:]):
        if a == b:
            continue
        q, k, v = (t[a:b].movedim(0, 1) for t in (query, key, value))
        s = torch.bmm(q, k.mT).mul_(d ** -0.5)
        if causal:
            s.masked_fill_(tri[: b - a, : b - a], float("-inf"))
        buf[a:b].copy_(torch.bmm(torch.softmax(s, -1), v).movedim(1, 0))
    return buf
