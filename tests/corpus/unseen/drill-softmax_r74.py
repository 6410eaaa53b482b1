import torch
from torch import Tensor


def _up(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _pair(a: Tensor, b: Tensor) -> Tensor:
    """log(e^a + e^b), of finite numbers"""
    return torch.maximum(a, b) + torch.log1p(torch.exp(-(a - b).abs()))


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    y = _up(x)
    y = y - y.sort(dim, descending=True)[0].narrow(dim, 0, 1)
    e = torch.exp(y)
    # the running sum's last entry is the sum
    return (e / e.cumsum(dim).narrow(dim, x.size(dim) - 1, 1)).to(x.dtype)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    parts = list(_up(x).unbind(dim))
    while len(parts) > 1:
        pairs = [_pair(a, b) for a, b in zip(parts[::2], parts[1::2])]
        parts = pairs + parts[len(pairs) * 2 :]
    return parts[0].to(x.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = (mask != 0).expand_as(scores)
    s = _up(scores)
    low = torch.full((), torch.finfo(s.dtype).min, dtype=s.dtype, device=s.device)
    top = torch.where(shown, s, low).amax(-1, keepdim=True)
    e = torch.where(shown, s - top, torch.zeros_like(low)).exp() * shown
    total = e.sum(-1, keepdim=True)
    return (e / total.masked_fill(total == 0, 1)).to(scores.dtype)
