import torch
from torch import Tensor


def inv_sqrt_width(t: Tensor) -> float:
    return t.size(-1) ** -0.5


def dsoftmax(p: Tensor, dp: Tensor, row: Tensor) -> Tensor:
    return p * (dp - row)


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    dtype = query.dtype
    if dtype.itemsize == 2:
        query, key, value = query.float(), key.float(), value.float()
        output, lse, grad_output = output.float(), lse.float(), grad_output.float()
    length = key.size(-2)
    row = torch.einsum("bhqv,bhqv->bhq", output, grad_output).unsqueeze(-1)
    gq = torch.zeros_like(query)
    gk, gv = [], []
    start = 0
    for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        s = (query * inv_sqrt_width(query)) @ k.mT
        s -= lse.unsqueeze(-1)
        if causal:
            pos = torch.arange(length, device=s.device)
            s[..., pos[start:start + k.size(-2)] > pos[:, None]] = float("-inf")
        p = s.exp()
        gv.append(p.mT @ grad_output)
        gs = dsoftmax(p, grad_output @ v.mT, row) * inv_sqrt_width(grad_output)
        gq += gs @ k
        gk.append(gs.mT @ query)
        start += k.size(-2)
    return gq.to(dtype), torch.cat(gk, dim=-2).to(dtype), torch.cat(gv, dim=-2).to(dtype)
