# attn-kata: flash-backward
import math

import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, head_dim = query.shape[-2:]
    block = min(block_size, length)
    scale = 1.0 / math.sqrt(head_dim)
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    delta = (grad_output * output).sum(-1, keepdim=True)
    rows = torch.arange(length, device=query.device)[:, None]

    for start in range(0, length - block + 1, block):
        tile = slice(start, start + block)
        k, v = key[..., tile, :], value[..., tile, :]
        s = query @ k.transpose(-1, -2) * scale
        p = torch.exp(s - lse[..., None])
        if causal:
            cols = torch.arange(start, start + k.shape[-2], device=query.device)
            p = p.masked_fill(cols > rows, 0.0)
        dv[..., tile, :] = p.transpose(-1, -2) @ grad_output
        ds = p * (grad_output @ v.transpose(-1, -2) - delta)
        dq += ds @ k * scale
        dk[..., tile, :] = ds.transpose(-1, -2) @ query * scale
    return dq, dk, dv
