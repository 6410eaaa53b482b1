# attn-kata: flash-backward
import math

import torch
from torch import Tensor


def recompute(q: Tensor, k: Tensor, lse: Tensor, scale: float) -> Tensor:
    """logits minus the row's log-sum-exp"""
    return (q @ k.transpose(-1, -2)) - lse.unsqueeze(-1) * scale


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    length, head_dim = query.shape[2], query.shape[3]
    scale = 1.0 / math.sqrt(head_dim)
    delta = (grad_output * output).sum(dim=-1, keepdim=True)
    grad_query = torch.zeros_like(query)
    grad_key = torch.empty_like(key)
    grad_value = torch.empty_like(value)
    q_pos = torch.arange(length, device=query.device)[:, None]
    for start in range(0, length, block_size):
        tile = slice(start, min(start + block_size, length))
        k, v = key[:, :, tile], value[:, :, tile]
        logits = recompute(query, k, lse, scale)
        if causal:
            k_pos = torch.arange(tile.start, tile.stop, device=query.device)
            logits = logits.masked_fill(k_pos > q_pos, float("-inf"))
        p = torch.exp(logits)
        grad_value[:, :, tile] = p.transpose(-1, -2) @ grad_output
        dp = grad_output @ v.transpose(-1, -2)
        ds = p * (dp - delta)
        grad_query += (ds @ k) * scale
        grad_key[:, :, tile] = (ds.transpose(-1, -2) @ query) * scale
    return grad_query, grad_key, grad_value
