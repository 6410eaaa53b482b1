# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    # subtract the maximum first, then exp cannot overflow
    maximum = torch.max(x, dim=dim, keepdim=True)[0]
    exps = torch.exp(x - maximum)
    return exps / torch.sum(exps, dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    maximum = torch.max(x, dim=dim, keepdim=True)[0]
    exps = torch.exp(x - maximum)
    result = maximum + torch.log(torch.sum(exps, dim=dim, keepdim=True))
    return torch.squeeze(result)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    # 1. booleans
    counts = mask != 0
    # 2. scores that do not count become -inf
    hidden_scores = torch.where(counts, scores, torch.full_like(scores, -float("inf")))
    # 3. the maximum of each row; 0 for a row in which nothing counts
    maximum = torch.max(hidden_scores, dim=-1, keepdim=True)[0].detach()
    maximum = torch.where(torch.isinf(maximum), torch.zeros_like(maximum), maximum)
    # 4. exp and sum; the sum of an empty row is 0, so 1 takes its place
    exps = torch.exp(hidden_scores - maximum)
    total = torch.sum(exps, dim=-1, keepdim=True)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return exps / total
