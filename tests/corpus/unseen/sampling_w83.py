import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    if penalty == 1.0:
        return logits
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens.long(), True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, weaker, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < smallest, -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    ordered, order = logits.sort(dim=-1, descending=True)
    probs = ordered.softmax(dim=-1)
    outside = probs.cumsum(dim=-1) - probs >= p
    outside[:, 0] = False
    return logits.masked_fill(torch.zeros_like(outside).scatter(1, order, outside), -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), -torch.inf)


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
    min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty)
    if temperature != 1.0:
        logits /= temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(dim=-1)
    return (running <= uniform.unsqueeze(1)).sum(dim=-1).clamp(max=probs.size(1) - 1)
