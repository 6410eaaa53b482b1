import torch
from torch import Tensor
from typing import Iterator, Tuple


def _tiles(length: int, size: int) -> Iterator[slice]:
    start = 0
    while start < length:
        yield slice(start, min(start + size, length))
        start += size


def flash_backward(
    query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
    grad_output: Tensor, block_size: int, causal: bool = False,
) -> Tuple[Tensor, Tensor, Tensor]:
    compute = torch.promote_types(query.dtype, torch.float32)
    inv = torch.rsqrt(torch.tensor(float(query.size(-1)), dtype=torch.float64)).item()

    Q = query.to(compute).mul(inv)
    G = grad_output.to(compute)
    rowdot = G.mul(output.to(compute)).sum(-1)
    L = lse.to(compute)

    grad_q = torch.zeros_like(Q)
    grad_k = torch.zeros_like(key)
    grad_v = torch.zeros_like(value)

    for t in _tiles(key.size(-2), block_size):
        kt, vt = key[..., t, :].to(compute), value[..., t, :].to(compute)
        logw = Q.matmul(kt.transpose(-2, -1)).sub(L.unsqueeze(-1))
        # guard: rounding must not push a probability over one
        w = logw.clamp(max=0.0).exp()
        if causal:
            hidden = torch.arange(t.start, t.stop, device=w.device) > torch.arange(w.size(-2), device=w.device).unsqueeze(1)
            w = w.masked_fill(hidden, 0.0)
        dlogit = G.matmul(vt.transpose(-2, -1)).sub(rowdot.unsqueeze(-1)).mul(w)
        grad_q.add_(dlogit.matmul(kt), alpha=inv)
        grad_k[..., t, :] = dlogit.transpose(-2, -1).matmul(Q).to(key.dtype)
        grad_v[..., t, :] = w.transpose(-2, -1).matmul(G).to(value.dtype)
    return grad_q.to(query.dtype), grad_k, grad_v
