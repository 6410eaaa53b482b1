import itertools

import torch


def cumulative_lengths(lengths):
    steps = [0, *itertools.accumulate(lengths.tolist())]
    return torch.tensor(steps, dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    sizes = lengths.tolist()
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in sizes]
    rest = total - sum(sizes)
    blocks.append(torch.zeros(rest, rest, dtype=torch.bool, device=lengths.device))
    return torch.block_diag(*blocks).bool()


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths)
    out = []
    for a, b in itertools.pairwise(cu.tolist()):
        q, k, v = (z[a:b].transpose(0, 1) for z in (query, key, value))
        s = q.bmm(k.mT) * query.shape[-1] ** -0.5
        if causal:
            s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
        out.append(s.softmax(-1).bmm(v).transpose(0, 1))
    out.append(torch.zeros_like(query[int(cu[-1]) :]))
    return torch.cat(out)
