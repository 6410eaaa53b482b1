# wrong: paged sum-not-rescaled line 30
import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    repeat = heads // kv_heads
    outputs = []
    for sample in range(batch):
        length = int(lengths[sample])
        highest = query.new_full((heads, 1), -math.inf)
        total = query.new_zeros(heads, 1)
        gathered = query.new_zeros(heads, head_dim)
        for start in range(0, length, block_size):
            block = block_table[sample, start // block_size]
            filled = min(block_size, length - start)
            keys = key_pool[block, :filled].repeat_interleave(repeat, dim=1)
            values = value_pool[block, :filled].repeat_interleave(repeat, dim=1)
            scores = torch.einsum("hd,khd->hk", query[sample], keys) / math.sqrt(head_dim)
            new_highest = torch.maximum(highest, scores.max(dim=-1, keepdim=True).values)
            exps = torch.exp(scores - new_highest)
            correction = torch.exp(highest - new_highest)
            gathered = gathered * correction + torch.einsum("hk,khd->hd", exps, values)
            total = total + exps.sum(dim=-1, keepdim=True)
            highest = new_highest
        outputs.append(gathered / total)
    return torch.stack(outputs)
