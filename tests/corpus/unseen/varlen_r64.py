import math
from functools import partial
from itertools import accumulate, pairwise

import torch


def cumulative_lengths(lengths):
    ends = list(accumulate(lengths.tolist(), initial=0))
    return torch.tensor(ends, dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    sizes = lengths.tolist()
    blocks = [torch.ones(n, n, dtype=torch.bool) for n in sizes]
    rest = total - sum(sizes)
    blocks.append(torch.zeros(rest, rest, dtype=torch.bool))
    return torch.block_diag(*blocks).bool().to(lengths.device)


def _one(causal, q, k, v):
    n, _, d = q.shape
    s = torch.einsum("ihd,jhd->hij", q, k) / math.sqrt(d)
    hide = torch.arange(n, device=q.device)
    s = s.masked_fill(hide > hide[:, None], -math.inf) if causal else s
    return torch.einsum("hij,jhd->ihd", s.softmax(-1), v)


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    pieces = [[t[a:b] for a, b in pairwise(cu)] for t in (query, key, value)]
    done = map(partial(_one, causal), *pieces)
    return torch.cat([*done, torch.zeros_like(query[cu[-1]:])])
