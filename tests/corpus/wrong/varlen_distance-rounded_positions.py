# wrong: varlen distance-rounded line 17
import torch


def cumulative_lengths(lengths):
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).int()


def document_mask(lengths, total):
    ids = torch.bucketize(torch.arange(total, device=lengths.device), lengths.cumsum(0), right=True)
    return (ids[:, None] == ids) & (ids < len(lengths))


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.zeros_like(query)
    bounds = cumulative_lengths(lengths).tolist()
    places = torch.arange(query.shape[0], device=query.device).to(query.dtype)
    for a, b in zip(bounds[:-1], bounds[1:]):
        if a == b:
            continue
        s = torch.einsum("ihd,jhd->hij", query[a:b], key[a:b]) / query.shape[-1] ** 0.5
        if causal:
            s = s.masked_fill(places[a:b] > places[a:b, None], float("-inf"))
        out[a:b] = torch.einsum("hij,jhd->ihd", s.softmax(-1), value[a:b])
    return out
