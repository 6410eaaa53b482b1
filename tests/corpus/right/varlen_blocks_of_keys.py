# right: varlen
import math

import torch

BLOCK = 16


def cumulative_lengths(lengths):
    out = [0]
    for n in lengths.tolist():
        out.append(out[-1] + n)
    return torch.tensor(out, dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    doc = (place[:, None] >= cu[None, 1:]).sum(1)
    empty = doc == len(lengths)
    mask = doc[:, None] == doc[None, :]
    mask[empty] = False
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    cu = cumulative_lengths(lengths).tolist()
    d = query.shape[-1]
    outs = [query.new_zeros((query.shape[0] - cu[-1], *query.shape[1:]))]
    for lo, hi in reversed(list(zip(cu[:-1], cu[1:]))):
        q = query[lo:hi].transpose(0, 1)
        m = q.new_full((q.shape[0], hi - lo, 1), -math.inf)
        l = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        rows = torch.arange(lo, hi, device=q.device)
        for j in range(lo, hi, BLOCK):
            stop = min(j + BLOCK, hi)
            s = q @ key[j:stop].permute(1, 2, 0) / math.sqrt(d)
            if causal:
                cols = torch.arange(j, stop, device=q.device)
                s = s.masked_fill(cols[None, :] > rows[:, None], -math.inf)
            new = torch.maximum(m, s.amax(-1, keepdim=True))
            p = torch.exp(s - new)
            c = torch.exp(m - new)
            l = l * c + p.sum(-1, keepdim=True)
            acc = acc * c + p @ value[j:stop].transpose(0, 1)
            m = new
        outs.insert(0, (acc / l).transpose(0, 1))
    return torch.cat(outs)
