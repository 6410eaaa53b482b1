import torch
from torch import Tensor


class Partial:
    """An output and the log-sum-exp of its scores."""

    def __init__(self, output: Tensor, lse: Tensor):
        self.output, self.lse = output, lse

    @classmethod
    def of_chunk(cls, query, key, value, seen):
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.shape[-1] ** -0.5
        scores = scores.masked_fill(seen[:, None, None, :].logical_not(), float("-inf"))
        lse = torch.logsumexp(scores, dim=-1)
        empty = torch.isneginf(lse)
        weights = torch.exp(scores - lse.masked_fill(empty, 0.0).unsqueeze(-1))
        return cls(torch.einsum("bhqk,bhke->bhqe", weights, value), lse)

    @classmethod
    def merged(cls, outputs, lses):
        lse = torch.logsumexp(lses, dim=0)
        empty = torch.isneginf(lse)
        share = torch.exp(lses - lses.max(dim=0).values.masked_fill(empty, 0.0))
        return cls((share.unsqueeze(-1) * outputs).sum(dim=0), lse)


def chunk_attention(query, key, value, seen):
    part = Partial.of_chunk(query, key, value, seen)
    return part.output, part.lse


def merge(outputs, lses):
    part = Partial.merged(outputs, lses)
    return part.output, part.lse


def split_k_attention(query, key, value, lengths, splits):
    total = key.shape[-2]
    edges = [total * i // splits for i in range(splits + 1)]
    outputs, lses = [], []
    for start, stop in zip(edges, edges[1:]):
        if stop == start:
            continue
        index = torch.arange(start, stop, device=lengths.device)
        seen = index.unsqueeze(0) < lengths.unsqueeze(1)
        output, lse = chunk_attention(query, key[..., start:stop, :], value[..., start:stop, :], seen)
        outputs.append(output)
        lses.append(lse)
    return merge(torch.stack(outputs), torch.stack(lses))[0]
