import torch
from torch import Tensor

INF = float("inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for b in range(logits.shape[0]):
        for t in set(tokens[b].tolist()):
            out[b, t] = logits[b, t] / penalty if logits[b, t] > 0 else logits[b, t] * penalty
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    threshold = logits.sort(dim=-1).values[:, -k].unsqueeze(-1)
    return torch.where(logits >= threshold, logits, -INF)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    order = probs.argsort(dim=-1, descending=True)
    sorted_probs = probs.gather(1, order)
    keep_sorted = (sorted_probs.cumsum(1) - sorted_probs) < p
    keep = torch.zeros_like(keep_sorted).scatter(1, order, keep_sorted)
    return logits.masked_fill(~keep, -INF)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < probs.max(-1, keepdim=True)[0] * p, -INF)


def next_token_probs(logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
                     top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0) -> Tensor:
    logits = penalize(logits, tokens, penalty)
    if top_k != 0:
        logits = keep_top_k(logits, top_k)
    if top_p != 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p != 0.0:
        logits = keep_min_p(logits, min_p)
    return (logits / temperature).softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    over = probs.cumsum(dim=1) > uniform.unsqueeze(1)
    over[:, -1] |= ~over.any(dim=1)
    return over.int().argmax(dim=1)
