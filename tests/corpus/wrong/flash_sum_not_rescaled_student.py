# wrong: flash sum-not-rescaled line 26
import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    batch, heads, length, d = query.shape
    running_max = torch.full((batch, heads, length), float('-inf'), dtype=query.dtype, device=query.device)
    running_sum = torch.zeros(batch, heads, length, dtype=query.dtype, device=query.device)
    result = torch.zeros_like(query)
    start = 0
    while start < length:
        end = min(start + block_size, length)
        k_block = key[:, :, start:end]
        v_block = value[:, :, start:end]
        scores = torch.matmul(query, k_block.transpose(2, 3)) / math.sqrt(d)
        if causal:
            rows = torch.arange(length, device=query.device).unsqueeze(1)
            cols = torch.arange(start, end, device=query.device).unsqueeze(0)
            scores = scores.masked_fill(cols > rows, float('-inf'))
        block_max = scores.max(dim=-1).values
        new_max = torch.maximum(running_max, block_max)
        correction = torch.exp(running_max - new_max)
        e = torch.exp(scores - new_max.unsqueeze(-1))
        # the sum of all blocks
        running_sum = running_sum + e.sum(dim=-1)
        result = result * correction.unsqueeze(-1) + torch.matmul(e, v_block)
        running_max = new_max
        start = end
    return result / running_sum.unsqueeze(-1)
