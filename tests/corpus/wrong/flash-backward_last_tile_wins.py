# wrong: flash-backward grad-not-accumulated line 26
import torch
from torch import Tensor


def flash_backward(query: Tensor, key: Tensor, value: Tensor, out: Tensor, lse: Tensor,
                   dout: Tensor, block_size: int, causal: bool = False):
    n = query.shape[-2]
    scale = query.shape[-1] ** -0.5
    d_row = torch.sum(dout * out, -1)
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for c0 in range(0, n, block_size):
        c1 = min(c0 + block_size, n)
        kc = key[:, :, c0:c1]
        vc = value[:, :, c0:c1]
        s = torch.einsum("bhqd,bhkd->bhqk", query, kc) * scale
        if causal:
            r = torch.arange(n, device=s.device).view(-1, 1)
            c = torch.arange(c0, c1, device=s.device).view(1, -1)
            s = s.masked_fill(c > r, float("-inf"))
        p = torch.exp(s - lse[..., None])
        dp = torch.einsum("bhqv,bhkv->bhqk", dout, vc)
        ds = p * (dp - d_row[..., None]) * scale
        dv[:, :, c0:c1] = torch.einsum("bhqk,bhqv->bhkv", p, dout)
        dk[:, :, c0:c1] = torch.einsum("bhqk,bhqd->bhkd", ds, query)
        dq = torch.einsum("bhqk,bhkd->bhqd", ds, kc)
    return dq, dk, dv
