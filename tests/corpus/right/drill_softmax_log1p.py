# right: drill-softmax
import torch
from torch import Tensor
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    with torch.no_grad():
        shift = x.max(dim, keepdim=True).values
    y = torch.exp(x - shift)
    return y * y.sum(dim, keepdim=True).reciprocal()
def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    order = x.sort(dim, descending=True).values
    big = order.select(dim, 0)
    return big + torch.log1p(torch.exp(order.narrow(dim, 1, x.size(dim) - 1) - big.unsqueeze(dim)).sum(dim))
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    m = mask.to(scores.dtype).expand_as(scores)
    top = (scores - (1 - m) * 1e4).max(-1, keepdim=True).values
    num = torch.exp(torch.where(m > 0, scores - top, torch.full_like(scores, float("-inf"))))
    return num / num.sum(-1, keepdim=True).clamp(min=1e-4)
