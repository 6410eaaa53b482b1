import math
import torch
from torch import Tensor


def _row_dot(a: Tensor, b: Tensor) -> Tensor:
    return torch.sum(a * b, dim=-1, keepdim=True)


def _tile_grads(q, k, v, do, lse, hide, scale):
    s = q @ k.transpose(-2, -1) * scale
    if hide is not None:
        s = s.masked_fill(hide, -math.inf)
    p = torch.exp(s - lse.unsqueeze(-1))
    dp = do @ v.transpose(-2, -1)
    ds = p * (dp - _row_dot(p, dp))
    return ds @ k * scale, ds.transpose(-2, -1) @ q * scale, p.transpose(-2, -1) @ do


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    n = query.shape[2]
    scale = 1.0 / math.sqrt(query.shape[3])
    positions = torch.arange(n, device=query.device)
    grad_query = torch.zeros_like(query)
    dks, dvs = [], []
    for start in range(0, n, block_size):
        sl = slice(start, start + block_size)
        hide = positions[sl][None, :] > positions[:, None] if causal else None
        dq, dk, dv = _tile_grads(query, key[:, :, sl], value[:, :, sl], grad_output, lse, hide, scale)
        grad_query = grad_query + dq
        dks.append(dk)
        dvs.append(dv)
    return grad_query, torch.cat(dks, 2), torch.cat(dvs, 2)
