from __future__ import annotations

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Reachability by repeated squaring: I + A sees parents, its square grandparents, and so on."""
    n = back.shape[0]
    own = torch.arange(n, device=back.device)
    parents = own - back
    step = torch.eye(n, dtype=torch.float32, device=back.device)
    step += (parents[:, None] == own).to(step.dtype)  # a parent below 0 equals no column
    reach = 1
    while reach < n:
        step = (step @ step).clamp_(max=1)
        reach *= 2
    return step > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    drafted, dim = q.shape[-2:]
    prefix = k.shape[2] - drafted
    inside = tree_mask(back).to(q.device)
    # the prefix has no mask at all: two blocks of scores, and one denominator for both
    before = q @ k[:, :, :prefix].mT / dim**0.5
    among = (q @ k[:, :, prefix:].mT / dim**0.5).masked_fill(~inside, -torch.inf)
    total = torch.logaddexp(before.logsumexp(-1, keepdim=True), among.logsumexp(-1, keepdim=True))
    out = (before - total).exp() @ v[:, :, :prefix] + (among - total).exp() @ v[:, :, prefix:]
    return out.to(query.dtype)
