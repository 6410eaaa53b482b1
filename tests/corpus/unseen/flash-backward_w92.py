import math
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    dtype = query.dtype
    if dtype in (torch.half, torch.bfloat16):
        query, key, value, output, lse, grad_output = [
            t.float() for t in (query, key, value, output, lse, grad_output)
        ]
    T, C = query.shape[-2:]
    scale = 1.0 / math.sqrt(C)
    D = (grad_output * output).sum(-1)

    dq = torch.zeros_like(query)
    dks, dvs = [], []
    for j in range(0, T, block_size):
        k, v = key[..., j:j + block_size, :], value[..., j:j + block_size, :]
        s = query @ k.transpose(-1, -2) * scale
        p = torch.exp(s - lse[..., None])
        dvs.append(p.transpose(-1, -2) @ grad_output)
        dp = grad_output @ v.transpose(-1, -2)
        ds = p * (dp - D[..., None])
        if causal:
            ahead = torch.ones(T, k.shape[-2], dtype=torch.bool, device=ds.device).triu(1 - j)
            ds = ds.masked_fill(ahead, 0.0)
        dq += ds @ k * scale
        dks.append(ds.transpose(-1, -2) @ query * scale)
    return dq.to(dtype), torch.cat(dks, -2).to(dtype), torch.cat(dvs, -2).to(dtype)
