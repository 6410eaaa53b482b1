from functools import cached_property

import torch


class Packing:
    def __init__(self, lengths, total=None):
        self.lengths = lengths.to(torch.int64)
        self.total = int(self.lengths.sum()) if total is None else total
        assert int(self.lengths.sum()) <= self.total, "sequences do not fit into the buffer"

    @cached_property
    def offsets(self):
        zero = self.lengths.new_zeros(1)
        return torch.cat([zero, self.lengths.cumsum(0)])

    @cached_property
    def ids(self):
        """Number of the sequence at each place, -1 where it is empty."""
        names = torch.arange(self.lengths.numel(), device=self.lengths.device)
        used = names.repeat_interleave(self.lengths)
        return torch.nn.functional.pad(used, (0, self.total - used.numel()), value=-1)

    @property
    def sizes(self):
        sizes = self.lengths.tolist()
        return [*sizes, self.total - sum(sizes)]

    def unpack(self, *buffers):
        *sequences, _rest = zip(*(b.split(self.sizes) for b in buffers))
        return sequences


def cumulative_lengths(lengths):
    return Packing(lengths).offsets


def document_mask(lengths, total):
    ids = Packing(lengths, total).ids
    return ids.eq(ids[:, None]) & ids.ge(0)


def varlen_attention(query, key, value, lengths, causal=False):
    packing = Packing(lengths, query.size(0))
    rows = []
    for q, k, v in packing.unpack(query, key, value):
        if not q.numel():
            continue
        logits = torch.einsum("qhd,khd->hqk", q, k) * q.size(-1) ** -0.5
        if causal:
            t = torch.arange(len(q), device=q.device)
            logits = torch.where(t[:, None] >= t, logits, float("-inf"))
        rows.append(torch.einsum("hqk,khd->qhd", logits.softmax(-1), v))
    empty = value.new_zeros(packing.sizes[-1], *value.shape[1:])
    return torch.cat([*rows, empty], dim=0)
