import torch


def cumulative_lengths(lengths):
    zero = torch.zeros(1, device=lengths.device)
    return torch.cat([zero, torch.cumsum(lengths, dim=0)])


def document_mask(lengths, total):
    ids = torch.full((total,), -1, device=lengths.device)
    pos = 0
    for i, n in enumerate(lengths.tolist()):
        ids[pos:pos + n] = i
        pos += n
    return (ids[:, None] == ids[None, :]) & (ids[:, None] >= 0)


def attend(q, k, v, causal):
    # (n, h, d) each
    s = torch.einsum("ihd,jhd->hij", q, k) * q.shape[-1] ** -0.5
    if causal:
        n = q.shape[0]
        upper = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        s = s.masked_fill(upper, float("-inf"))
    return torch.einsum("hij,jhd->ihd", s.softmax(-1), v)


def varlen_attention(query, key, value, lengths, causal=False):
    bounds = cumulative_lengths(lengths).tolist()
    pieces = [
        attend(query[a:b], key[a:b], value[a:b], causal)
        for a, b in zip(bounds[:-1], bounds[1:])
    ]
    tail = torch.zeros_like(query[bounds[-1]:])
    return torch.cat(pieces + [tail], dim=0)
