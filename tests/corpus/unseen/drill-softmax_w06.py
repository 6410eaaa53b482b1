import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return torch.exp(x - log_sum_exp(x, dim).unsqueeze(dim))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    c, _ = torch.max(x, dim, keepdim=True)
    total = (x - c).exp().sum(dim=dim)
    return c.squeeze() + total.log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    m = mask.to(torch.bool)
    s = scores.masked_fill(m == False, float("-inf"))  # noqa: E712
    top = s.max(dim=-1, keepdim=True)[0]
    top = top.masked_fill(top == float("-inf"), 0.0)
    ex = (s - top).exp()
    norm = ex.sum(dim=-1, keepdim=True)
    return ex / norm.masked_fill(norm == 0, 1.0)
