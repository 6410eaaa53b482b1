import functools
import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int64)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    # the sum of the blocks: one outer product for each sequence, all by one matmul of 0s and 1s
    ends = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    inside = (place >= ends[:-1, None]) & (place < ends[1:, None])            # (batch, total)
    inside = inside.to(torch.float32)
    return inside.t() @ inside > 0.5


@functools.singledispatch
def spans(lengths) -> list[slice]:
    raise TypeError(f"lengths of type {type(lengths).__name__}")


@spans.register
def _(lengths: list) -> list[slice]:
    found, at = [], 0
    for n in lengths:
        found.append(slice(at, at + n))
        at += n
    return found


@spans.register
def _(lengths: Tensor) -> list[slice]:
    return spans(lengths.tolist())


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    """Head by head within a sequence; what is found is written into a buffer of zeros."""
    wide = torch.promote_types(query.dtype, torch.float32)
    root = query.shape[-1] ** 0.5
    out = query.masked_fill(torch.ones((), dtype=torch.bool, device=query.device), 0)
    for span in filter(lambda s: s.stop > s.start, spans(lengths)):
        n = span.stop - span.start
        rows = []
        for h in range(query.shape[1]):
            q, k, v = (t[span, h].to(wide) for t in (query, key, value))
            s = torch.mm(q / root, k.t())
            if causal:
                s = s + torch.full((n, n), -torch.inf, dtype=wide, device=s.device).triu(1)
            rows.append(torch.mm(s.softmax(1), v))
        # a new buffer each time: nothing that autograd has seen is overwritten
        out = out.slice_scatter(torch.stack(rows, dim=1).to(query.dtype), 0, span.start, span.stop)
    return out
