import torch, math


def cumulative_lengths(lengths):
    cu = torch.zeros(lengths.shape[0] + 1, dtype=torch.long, device=lengths.device)
    cu[1:] = lengths.cumsum(0)
    return cu


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    doc = torch.searchsorted(cu, place, right=True)
    return doc[:, None] == doc[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths)
    output = torch.zeros_like(query)
    for i in range(len(lengths)):
        s, e = cu[i].item(), cu[i + 1].item()
        if s == e:
            continue
        att = torch.einsum("ihd,jhd->hij", query[s:e], key[s:e]) / math.sqrt(query.size(-1))
        if causal:
            idx = torch.arange(e - s, device=att.device)
            att = att.masked_fill(idx[None, :] > idx[:, None], float("-inf"))
        output[s:e] = torch.einsum("hij,jhd->ihd", att.softmax(-1), value[s:e])
    return output
