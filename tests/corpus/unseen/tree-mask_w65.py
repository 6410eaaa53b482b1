# attn-kata: tree-mask
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Reachability by repeated squaring of (one step or none)."""
    n = len(back)
    i = torch.arange(n, device=back.device)
    step = (i[:, None] - back[:, None]).eq(i[None, :]) | (i[:, None] == i)
    reach = step.float()
    for _ in range(int(math.log2(n))):
        reach = (reach @ reach).clamp(max=1)
    return reach > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    n, d = query.shape[2:]
    keep = F.pad(tree_mask(back), (key.shape[2] - n, 0), value=True)
    hi = torch.promote_types(query.dtype, torch.float32)
    bias = torch.zeros(keep.shape, dtype=hi, device=query.device).masked_fill_(~keep, -torch.inf)
    att = torch.matmul(query.to(hi), key.to(hi).mT).mul(d ** -0.5).add(bias).softmax(-1)
    return torch.matmul(att, value.to(hi)).to(query.dtype)
