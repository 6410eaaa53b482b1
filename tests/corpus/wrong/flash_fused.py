# wrong: flash forbidden-call line 10
import torch
import torch.nn.functional as F


def flash_attention(query, key, value, block_size, causal=False):
    out = torch.empty_like(query)
    for start in range(0, query.shape[2], block_size):
        stop = start + block_size
        out[:, :, start:stop] = F.scaled_dot_product_attention(query[:, :, start:stop], key, value)
    return out
