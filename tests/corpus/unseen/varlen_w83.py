import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    return F.pad(torch.cumsum(lengths, dim=0), (1, 0)).to(torch.int64)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    begins = cu[:-1]
    flags = torch.zeros(total, dtype=torch.int64, device=lengths.device)
    flags[begins] = 1
    doc = flags.cumsum(0)                                  # a number for each sequence
    used = torch.arange(total, device=lengths.device) < cu[-1]
    return (doc[:, None] == doc[None, :]) & used[:, None] & used[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for b, e in zip(cu[:-1], cu[1:]):
        if b == e:
            continue
        q, k, v = (t[b:e].permute(1, 0, 2) for t in (query, key, value))
        att = torch.bmm(q, k.transpose(1, 2)) * q.size(-1) ** -0.5
        if causal:
            att = att + torch.full_like(att[0], float("-inf")).triu(1)
        out[b:e] = torch.bmm(att.softmax(-1), v).permute(1, 0, 2)
    return out
