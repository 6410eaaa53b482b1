import math
from typing import Tuple

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tuple[Tensor, Tensor]:
    keep = seen.view(seen.size(0), 1, 1, seen.size(1))
    logits = torch.matmul(query, key.mT) / math.sqrt(query.size(-1))
    logits = torch.where(keep, logits, -math.inf)
    peak = logits.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    e = (logits - peak).exp()
    z = e.sum(-1, keepdim=True)
    out = e.matmul(value) / torch.where(z == 0, 1.0, z)
    return out, (peak + z.log()).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> Tuple[Tensor, Tensor]:
    wide = torch.promote_types(lses.dtype, torch.float32)
    out, lse = outputs[0].to(wide), lses[0].to(wide)
    for o, l in zip(outputs[1:], lses[1:]):
        hi = torch.maximum(lse, l)
        safe = torch.where(hi.isinf(), torch.zeros_like(hi), hi)
        a, b = (lse - safe).exp(), (l - safe).exp()
        z = a + b
        div = torch.where(z == 0, torch.ones_like(z), z)
        out = out * (a / div)[..., None] + o * (b / div)[..., None]
        lse = safe + z.log()
    return out.to(outputs.dtype), lse.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    size = math.ceil(key.size(2) / splits)
    pieces = []
    for i, (k, v) in enumerate(zip(key.split(size, 2), value.split(size, 2))):
        # how many of this chunk's places are in use
        used = (lengths - i * size).clamp(1, size)
        seen = torch.arange(k.size(2), device=key.device).expand(len(lengths), -1) < used[:, None]
        pieces.append(chunk_attention(query, k, v, seen))
    outputs = torch.stack([p[0] for p in pieces])
    lses = torch.stack([p[1] for p in pieces])
    return merge(outputs, lses)[0]
