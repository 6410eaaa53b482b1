"""ALiBi. The bias of one head is a Toeplitz matrix: one line of numbers, read through a sliding window."""
import torch
from torch import Tensor
from torch.func import vmap


def slopes(heads: int) -> Tensor:
    if heads < 1:
        raise ValueError(f"heads must be positive, not {heads}")
    if heads & (heads - 1):  # no power of two
        below = 1 << (heads.bit_length() - 1)
        return torch.cat((slopes(below), slopes(below << 1)[0::2].narrow(0, 0, heads - below)))
    return torch.exp2(torch.arange(1, heads + 1, dtype=torch.float64).mul(-8).div(heads))


def _line(query_length: int, key_length: int) -> Tensor:
    steps = torch.arange(1 - key_length, query_length, dtype=torch.float64)
    return steps.where(steps <= 0, torch.full((), float("-inf"), dtype=torch.float64))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    assert query_length <= key_length
    # the last query reads from the start of the line, each one before it from one place further
    toeplitz = _line(query_length, key_length).unfold(0, key_length, 1).flip(0)
    return torch.einsum("z,xy->zxy", slopes(heads), toeplitz)


def _one_head(q: Tensor, k: Tensor, v: Tensor, b: Tensor) -> Tensor:
    logits = torch.mm(q, k.t()) * (q.shape[-1] ** -0.5) + b
    return torch.mm(torch.softmax(logits, -1), v)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, query_length, key_length = query.shape[1], query.shape[2], key.shape[2]
    added = bias(heads, query_length, key_length).to(device=query.device, dtype=query.dtype)
    per_head = vmap(_one_head, in_dims=(0, 0, 0, 0))
    per_sample = vmap(per_head, in_dims=(0, 0, 0, None))
    return per_sample(query, key, value, added)
