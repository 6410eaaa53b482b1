import math

import torch
import torch.nn.functional as F


def _blocks(t, size):
    """(B, H, L, d) -> (n_blocks, B, H, size, d); static shapes, as lax.scan wants them."""
    pad = -t.shape[-2] % size
    t = F.pad(t, (0, 0, 0, pad))
    return t.unflatten(-2, (-1, size)).movedim(2, 0)


def _scan(fn, carry, xs):
    for x in xs:
        carry = fn(carry, x)
    return carry


def flash_attention(query, key, value, block_size, causal=False):
    length, width = query.shape[-2:]
    block_size = min(block_size, length)
    k_blocks, v_blocks = _blocks(key, block_size), _blocks(value, block_size)
    q_index = torch.arange(length, device=query.device)[:, None]
    q = query * width**-0.5

    def body(carry, x):
        peak, denom, numer = carry
        i, k, v = x
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if causal:
            k_index = i * block_size + torch.arange(block_size, device=q.device)[None, :]
            logits = torch.where(q_index >= k_index, logits, -math.inf)
        new_peak = torch.maximum(peak, torch.amax(logits, dim=-1, keepdim=True))
        weights = torch.exp(logits - new_peak)
        alpha = torch.exp(peak - new_peak)
        denom = alpha * denom + torch.sum(weights, dim=-1, keepdim=True)
        numer = alpha * numer + torch.einsum("bhqk,bhkd->bhqd", weights, v)
        return new_peak, denom, numer

    column = torch.zeros_like(query[..., :1])
    init = (column - math.inf, column, torch.zeros_like(query))
    xs = zip(range(k_blocks.shape[0]), k_blocks, v_blocks)
    _, denom, numer = _scan(body, init, xs)
    return numer / denom
