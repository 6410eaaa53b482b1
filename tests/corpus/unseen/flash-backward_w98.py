import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, head_dim = query.shape[-2:]
    scale = 1.0 / math.sqrt(head_dim)
    q = query * scale

    D = (grad_output * output).sum(dim=-1, keepdim=True)
    grad_query = torch.zeros_like(query)
    grad_key = torch.zeros_like(key)
    grad_value = torch.zeros_like(value)
    q_idx = torch.arange(length, device=query.device).unsqueeze(1)

    for start in range(0, length, block_size):
        end = min(start + block_size, length)
        k_blk, v_blk = key[..., start:end, :], value[..., start:end, :]

        S = q @ k_blk.transpose(-2, -1)
        if causal:
            k_idx = torch.arange(start, end, device=query.device).unsqueeze(0)
            S = S.masked_fill(k_idx > q_idx, float("-inf"))
        P = torch.exp(S - lse.unsqueeze(-1))

        grad_value[..., start:end, :] = P.transpose(-2, -1) @ grad_output
        dP = grad_output @ v_blk.transpose(-2, -1)
        dS = P * (dP - D) * scale
        grad_query += dS @ k_blk
        grad_key[..., start:end, :] = dS.transpose(-2, -1) @ q

    return grad_query, grad_key, grad_value
