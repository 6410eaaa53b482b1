import torch


def cumulative_lengths(lengths):
    zero = lengths.new_zeros(1)
    return torch.cat([zero, lengths]).cumsum(0)


def document_mask(lengths, total):
    ends = cumulative_lengths(lengths)[1:]
    position = torch.arange(total, device=lengths.device)
    document = torch.searchsorted(ends, position, right=True)
    return document.view(-1, 1) == document.view(1, -1)


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    cu = cumulative_lengths(lengths).tolist()
    for i in range(len(cu) - 1):
        part = slice(cu[i], cu[i + 1])
        n = cu[i + 1] - cu[i]
        if n == 0:
            continue
        qs, ks, vs = query[part].movedim(1, 0), key[part].movedim(1, 0), value[part].movedim(1, 0)
        att = torch.bmm(qs, ks.mT) / query.shape[-1] ** 0.5
        if causal:
            att = att + torch.triu(torch.full_like(att[0], float("-inf")), 1)
        out[part] = torch.bmm(att.softmax(2), vs).movedim(0, 1)
    return out
