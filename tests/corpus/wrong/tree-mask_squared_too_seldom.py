# wrong: tree-mask tree-too-shallow line 15
import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = len(back)
    steps = int(math.log2(n)) if n > 1 else 0
    ids = torch.arange(n, device=back.device)
    adj = ids.unsqueeze(0).eq((ids - back).unsqueeze(1))
    closure = (adj | torch.eye(n, dtype=torch.bool, device=adj.device)).to(torch.float32)
    # repeated squaring: each step doubles the number of generations covered
    for _ in range(steps):
        closure = torch.clamp(closure @ closure, max=1.0)
    return closure.bool()


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    dt = query.dtype
    up = torch.float64 if dt == torch.float64 else torch.float32
    n_draft = query.size(-2)
    n_prefix = key.size(-2) - n_draft
    allowed = torch.nn.functional.pad(tree_mask(back), (n_prefix, 0), value=True).to(query.device)
    logits = torch.einsum("bhid,bhjd->bhij", query.to(up), key.to(up)) * query.size(-1) ** -0.5
    additive = torch.zeros(allowed.shape, dtype=up, device=query.device).masked_fill(~allowed, -math.inf)
    p = torch.softmax(logits + additive, dim=-1)
    return torch.einsum("bhij,bhjd->bhid", p, value.to(up)).to(dt)
