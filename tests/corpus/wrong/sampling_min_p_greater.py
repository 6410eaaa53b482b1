# wrong: sampling min-p-strict line 38
# fair: min-p-strict 38, 39
import torch
from torch import Tensor

NEG_INF = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    vocab = logits.size(1)
    counts = torch.stack([torch.bincount(row, minlength=vocab) for row in tokens.long()])
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(counts > 0, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    idx = torch.argsort(logits, dim=1, descending=True)[:, :k]
    keep = torch.zeros_like(logits, dtype=torch.bool)
    keep.scatter_(1, idx, True)
    return torch.where(keep, logits, NEG_INF)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1.0:
        return logits
    probs = torch.softmax(logits, dim=1)
    ordered, idx = torch.sort(probs, dim=1, descending=True)
    n_keep = (torch.cumsum(ordered, dim=1) < p).sum(dim=1, keepdim=True) + 1
    ranks = torch.arange(logits.size(1), device=logits.device)[None, :]
    keep = torch.zeros_like(logits, dtype=torch.bool)
    keep.scatter_(1, idx, ranks < n_keep)
    return torch.where(keep, logits, NEG_INF)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=1)
    best = torch.max(probs, dim=1, keepdim=True)[0]
    keep = probs > best * p
    return torch.where(keep, logits, NEG_INF)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    scores = logits
    scores = penalize(scores, tokens, penalty)
    scores = torch.div(scores, temperature)
    scores = keep_top_k(scores, top_k if top_k != 0 else scores.size(1))
    scores = keep_top_p(scores, top_p)
    scores = keep_min_p(scores, min_p)
    return torch.softmax(scores, dim=1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cdf = torch.cumsum(probs, dim=1)
    cdf[:, -1] = 1.0
    return torch.searchsorted(cdf, uniform[:, None], side="right")[:, 0]
