import torch


def cumulative_lengths(lengths):
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).long()


def document_mask(lengths, total):
    doc = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    doc = torch.cat([doc, doc.new_full((total - len(doc),), -1)])
    return (doc[:, None] == doc) & (doc >= 0)


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    outs = []
    for a, b in zip(cu[:-1], cu[1:]):
        n = b - a
        if n < 2:
            outs.append(torch.zeros_like(query[a:b]))
            continue
        q, k, v = (t[a:b].transpose(0, 1) for t in (query, key, value))
        s = q @ k.mT * q.shape[-1] ** -0.5
        if causal:
            s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -torch.inf)
        outs.append((s.softmax(-1) @ v).transpose(0, 1))
    outs.append(torch.zeros_like(query[cu[-1]:]))
    return torch.cat(outs)
