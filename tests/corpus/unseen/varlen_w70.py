import math
from functools import reduce
from operator import itemgetter

import torch

pad_front = lambda t: torch.nn.functional.pad(t, (1, 0))


def cumulative_lengths(lengths):
    return pad_front(lengths.cumsum(0)).to(torch.int32)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths).tolist()
    place = torch.arange(total, device=lengths.device)

    def inside(lo, hi):
        here = (place >= lo) & (place < hi)
        return here[:, None] & here[None, :]

    return reduce(torch.logical_or, map(inside, cu, cu[1:]), torch.zeros(total, total, dtype=torch.bool, device=lengths.device))


def attend(causal):
    def run(q, k, v):
        s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if causal:
            s = s + torch.full_like(s, -math.inf).triu(1)
        return s.softmax(-1) @ v
    return run


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    spans = [slice(a, b) for a, b in zip(cu, cu[1:])]
    run = attend(causal)
    done = [run(*map(itemgetter(span), (query, key, value))) for span in spans]
    return torch.cat(done + [query.new_zeros(query[cu[-1]:].shape)])
