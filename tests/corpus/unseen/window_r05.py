import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n = query.shape[-2]
    i = torch.arange(n, device=query.device)
    age = i[:, None] - i[None, :]
    visible = (age >= 0) & (age < window)

    wide = torch.promote_types(query.dtype, torch.float32)
    logits = torch.matmul(query.to(wide), key.to(wide).transpose(-2, -1)) / math.sqrt(query.shape[-1])
    logits = logits.masked_fill(~visible, float("-inf"))
    return torch.matmul(logits.softmax(dim=-1), value.to(wide)).to(query.dtype)
