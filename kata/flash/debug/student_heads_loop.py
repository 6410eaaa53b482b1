import math

import torch


def one_head(q, k, v, block_size, causal):
    # q, k, v: (length, head_dim)
    length, d = q.shape
    running_max = torch.full((length,), float("-inf"), dtype=q.dtype, device=q.device)
    running_sum = torch.zeros(length, dtype=q.dtype, device=q.device)
    result = torch.zeros(length, d, dtype=q.dtype, device=q.device)
    start = 0
    while start < length:
        end = start + block_size
        if end > length:
            end = length
        k_block = k[start:end]
        v_block = v[start:end]
        scores = torch.matmul(q, k_block.t()) / math.sqrt(d)
        if causal:
            for row in range(length):
                for col in range(start, end):
                    if col > row:
                        scores[row, col - start] = float("-inf")
        block_max, _ = torch.max(scores, dim=1)
        new_max = torch.max(running_max, block_max)
        correction = torch.exp(running_max - new_max)
        e = torch.exp(scores - new_max.unsqueeze(1))
        running_sum = running_sum * correction + e.sum(dim=1)
        result = result * correction.unsqueeze(1) + torch.matmul(e, v_block)
        running_max = new_max
        start = end
    return result / running_sum.unsqueeze(1)


def flash_attention(query, key, value, block_size, causal=False):
    batch, heads = query.shape[0], query.shape[1]
    output = torch.zeros_like(query)
    for b in range(batch):
        for h in range(heads):
            output[b, h] = one_head(query[b, h], key[b, h], value[b, h], block_size, causal)
    return output
