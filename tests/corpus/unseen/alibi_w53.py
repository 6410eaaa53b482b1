import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    base = 1
    while base * 2 <= heads:
        base *= 2
    out = []
    for i in range(1, base + 1):
        out.append(2 ** (-8 * i / base))
    for i in range(heads - base):
        out.append(2 ** (-8 * (2 * i + 1) / (2 * base)))
    return torch.tensor(out, dtype=torch.float32)


def _biases(m: Tensor, nq: int, nk: int) -> Tensor:
    pos = torch.arange(nk, dtype=m.dtype, device=m.device)
    gap = pos[nk - nq:].unsqueeze(1) - pos.unsqueeze(0)
    b = -gap * m[:, None, None]
    b[:, gap < 0] = float("-inf")
    return b


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _biases(slopes(heads), query_length, key_length)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, h, nq, d = query.shape
    s = torch.einsum('bhid,bhjd->bhij', query, key) * d ** -0.5
    s += _biases(slopes(h).to(s), nq, key.size(2))
    return torch.einsum('bhij,bhjd->bhid', torch.softmax(s, -1), value)
