import torch
from torch import Tensor


def _exp_from_top(x: Tensor, top: Tensor) -> Tensor:
    return x.sub(top).exp()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = _exp_from_top(x, x.detach().amax(dim, keepdim=True))
    return e.div(e.sum(dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.detach().amax(dim)
    return m + torch.log(torch.sum(_exp_from_top(x, m.unsqueeze(dim)), dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    on = torch.broadcast_to(mask != 0, scores.shape)
    top = scores.detach().masked_fill(torch.logical_not(on), -torch.inf).amax(-1, keepdim=True)
    # nothing shown: top is -inf, and any finite number will do
    top = torch.where(on.any(-1, keepdim=True), top, torch.zeros_like(top))
    # hidden scores are replaced before the exponential, so that nothing can overflow
    e = torch.where(on, scores - top, torch.zeros_like(scores)).exp() * on
    # the largest shown score contributes exactly 1
    return e / e.sum(-1, keepdim=True).clamp_min(0.5)
