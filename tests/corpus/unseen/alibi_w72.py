# attn-kata: alibi
import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    n = 1
    while n * 2 <= heads:
        n *= 2
    i = torch.arange(1, n + 1, dtype=torch.float32)
    s = torch.pow(2.0, -8.0 * i / n)
    if n < heads:
        j = torch.arange(1, 2 * (heads - n), 2, dtype=torch.float32)
        s = torch.cat([s, torch.pow(2.0, -8.0 * j / (2 * n))])
    return s


def _distance(nq: int, nk: int, device=None, dtype=torch.float32) -> Tensor:
    pos = torch.arange(nk, device=device, dtype=dtype)
    return pos[nk - nq :].unsqueeze(1) - pos.unsqueeze(0)


def _penalty(m: Tensor, dist: Tensor) -> Tensor:
    p = -m.view(-1, 1, 1) * dist
    return p.masked_fill(dist < 0, float("-inf"))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _penalty(slopes(heads), _distance(query_length, key_length))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Builds the penalty straight on the device of the sequences, no copy from the host."""
    n_seq, n_head, nq, dim = query.shape
    nk = key.shape[2]
    m = slopes(n_head).to(query.device)
    dist = _distance(nq, nk, device=query.device, dtype=query.dtype)
    sim = torch.matmul(query, key.transpose(2, 3)) / dim**0.5
    sim = sim.float() if sim.dtype in (torch.float16, torch.bfloat16) else sim
    sim = sim + _penalty(m, dist).to(sim.dtype)
    w = torch.softmax(sim, dim=-1)
    return torch.matmul(w.to(value.dtype), value)
