# attn-kata: flash-backward
import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """FlashAttention 反向：按 key 分块，用 lse 恢复权重。"""
    b, h, n, d = query.shape
    scale = 1 / math.sqrt(d)
    grad_query = torch.zeros_like(query)
    grad_key = torch.empty_like(key)
    grad_value = torch.empty_like(value)

    # D：每个 query 一个数
    D = (grad_output * output).sum(dim=-1, keepdim=True)
    lse = lse.unsqueeze(-1)

    for lo in range(0, n, block_size):
        hi = min(lo + block_size, n)
        # causal 时，lo 之前的 query 看不到这一块
        top = lo if causal else 0
        q, do = query[:, :, top:], grad_output[:, :, top:]
        k, v = key[:, :, lo:hi], value[:, :, lo:hi]

        s = q @ k.transpose(2, 3) * scale
        p = torch.exp((s - lse[:, :, top:]).clamp(max=0))
        if causal:
            p = p.tril()
        dp = do @ v.transpose(2, 3)
        ds = p * (dp - D[:, :, top:])

        grad_value[:, :, lo:hi] = p.transpose(2, 3) @ do
        grad_key[:, :, lo:hi] = ds.transpose(2, 3) @ q * scale
        grad_query[:, :, top:] += ds @ k * scale

    return grad_query, grad_key, grad_value
