# right: flash
from dataclasses import dataclass
from functools import reduce, partial
import torch


@dataclass
class State:
    top: torch.Tensor
    norm: torch.Tensor
    out: torch.Tensor


def tiles(*tensors, size):
    n = tensors[0].shape[-2]
    first = 0
    while first < n:
        yield (first, *(t.narrow(-2, first, min(size, n - first)) for t in tensors))
        first += size


def step(state, tile, *, query, causal):
    first, k, v = tile
    logits = query.mul(query.shape[-1] ** -0.5).matmul(k.swapaxes(-1, -2))
    if causal:
        row = torch.arange(query.shape[-2], device=query.device)
        col = row[first:first + k.shape[-2]]
        logits = logits - torch.where(col[None] > row[:, None], torch.inf, 0.0).to(logits.dtype)
    top = torch.maximum(state.top, logits.amax(-1, keepdim=True))
    decay = torch.exp(state.top - top)
    p = torch.exp(logits - top)
    return State(top, decay * state.norm + p.sum(-1, keepdim=True), torch.addcmul(p @ v, decay, state.out))


def flash_attention(query, key, value, block_size, causal=False):
    start = State(
        torch.full_like(query[..., :1], -torch.inf),
        torch.zeros_like(query[..., :1]),
        torch.zeros_like(query),
    )
    final = reduce(partial(step, query=query, causal=causal), tiles(key, value, size=block_size), start)
    return final.out / final.norm
