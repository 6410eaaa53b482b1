import math

import torch


def cumulative_lengths(lengths):
    n = lengths.numel()
    below = torch.ones(n + 1, n, dtype=torch.int64, device=lengths.device).tril(-1)
    return (below * lengths.to(torch.int64)).sum(1)


def document_mask(lengths, total):
    """Label every place with its sequence, by searching; places behind get labels of their own."""
    ends = cumulative_lengths(lengths)[1:].contiguous()
    place = torch.arange(total, device=lengths.device)
    label = torch.searchsorted(ends, place, right=True)
    inside = label < len(ends)
    return (label[:, None] == label[None, :]) & inside[:, None]


def rows(q, k, v, causal):
    """(n, H, d): one sequence, query by query."""
    for i, one in enumerate(q):
        stop = i + 1 if causal else len(k)
        s = torch.einsum("hd,nhd->nh", one, k[:stop]) / math.sqrt(q.shape[-1])
        yield torch.einsum("nh,nhd->hd", torch.softmax(s, 0), v[:stop])


def varlen_attention(query, key, value, lengths, causal=False):
    out, at = [], 0
    for n in lengths.tolist():
        part = slice(at, at + n)
        out.extend(rows(query[part], key[part], value[part], causal))
        at += n
    out.extend([torch.zeros_like(query[0])] * (len(query) - at))
    return torch.stack(out)
