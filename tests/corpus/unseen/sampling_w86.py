import torch
from torch import Tensor, inf


def _only(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, -inf)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    result = logits.clone()
    for row, seen in zip(result, tokens):
        ids = torch.unique(seen)
        vals = row[ids]
        row[ids] = torch.where(vals > 0, vals / penalty, vals * penalty)
    return result


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    idx = logits.topk(k, dim=-1).indices
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, idx, True)
    return _only(logits, keep)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    before = probs.cumsum(-1) - probs
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)
    return _only(logits, keep)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return _only(logits, probs >= p * probs.max(-1, keepdim=True)[0])


def next_token_probs(logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
                     min_p: float = 0.0, penalty: float = 1.0) -> Tensor:
    z = penalize(logits, tokens, penalty) / temperature
    z = keep_top_k(z, top_k) if top_k else z
    z = keep_top_p(z, top_p) if top_p < 1 else z
    z = keep_min_p(z, min_p) if min_p else z
    return z.softmax(-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    sums = probs.cumsum(-1)
    return torch.searchsorted(sums, uniform, right=True)
