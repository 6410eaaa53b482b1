import torch
from torch import Tensor


def flash_backward(query: Tensor, key: Tensor, value: Tensor, output: Tensor, lse: Tensor,
                   grad_output: Tensor, block_size: int, causal: bool = False):
    b, h, n, d = query.shape
    scale = d**-0.5
    D = (output * grad_output).sum(-1, keepdim=True)
    L = lse.unsqueeze(-1)
    dq = torch.zeros_like(query)
    dk = torch.empty_like(key)
    dv = torch.empty_like(value)
    pos = torch.arange(n, device=query.device)
    for start in range(0, n, block_size):
        tile = slice(start, start + block_size)
        k, v = key[:, :, tile], value[:, :, tile]
        s = torch.matmul(query, k.transpose(2, 3)) * scale
        if causal:
            s = s.masked_fill(pos[tile].view(1, -1) > pos.view(-1, 1), float("-inf"))
        p = torch.exp(s - L)
        dp = torch.matmul(grad_output, v.transpose(2, 3))
        ds = p * (dp - D) * scale
        dq = torch.matmul(ds, k)
        dk[:, :, tile] = torch.matmul(ds.transpose(2, 3), query)
        dv[:, :, tile] = torch.matmul(p.transpose(2, 3), grad_output)
    return dq, dk, dv
