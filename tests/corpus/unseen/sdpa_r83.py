import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask=None, causal: bool = False) -> Tensor:
    """numpy habits: exp and sums by hand, the mask as a factor before the division."""
    b, h, n, d = query.shape
    s = key.size(2)

    allowed = query.new_ones((n, s), dtype=torch.bool)
    if causal:
        row = torch.arange(s - n, s, device=query.device).reshape(n, 1)
        col = torch.arange(s, device=query.device).reshape(1, s)
        allowed = col <= row
    if mask is not None:
        allowed = torch.logical_and(allowed, mask)

    logits = torch.matmul(query, key.transpose(2, 3)) / d**0.5
    top = logits.masked_fill(~allowed, torch.finfo(logits.dtype).min).amax(dim=3, keepdim=True)
    e = torch.exp(logits.masked_fill(~allowed, float("-inf")) - top.detach())
    return torch.matmul(e / e.sum(dim=3, keepdim=True), value)
