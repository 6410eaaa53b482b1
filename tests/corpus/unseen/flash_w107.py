import math
import torch


def flash_attention(query, key, value, block_size, causal=False):
    B, H, T, D = query.shape
    q = query / math.sqrt(D)
    acc = torch.zeros_like(query)
    den = query.new_zeros(B, H, T, 1)
    top = query.new_full((B, H, T, 1), -1e30 if query.dtype != torch.float16 else -6e4)
    rows = torch.arange(T, device=query.device)[:, None]
    for kt, vt, jt in zip(key.split(block_size, 2), value.split(block_size, 2), rows.view(-1).split(block_size)):
        s = q @ kt.mT
        if causal:
            s = s.masked_fill(jt > rows, -torch.inf)
        tile_top = s.amax(-1, keepdim=True)
        new_top = torch.maximum(top, tile_top)
        p = torch.exp(s - tile_top.clamp(min=torch.finfo(s.dtype).min))
        shrink = torch.exp(top - new_top)
        den = den * shrink + p.sum(-1, keepdim=True)
        acc = acc * shrink + p @ vt
        top = new_top
    return acc / den
