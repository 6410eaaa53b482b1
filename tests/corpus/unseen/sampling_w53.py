import torch
from torch import Tensor

NEG = float('-inf')


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for row, seen in zip(out, tokens):
        ids = seen.unique()
        row[ids] = torch.where(row[ids] < 0, row[ids] * penalty, row[ids] / penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, index = logits.topk(k, dim=1)
    return torch.full_like(logits, NEG).scatter(1, index, values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p == 1.0:
        return logits.clone()
    out = torch.full_like(logits, NEG)
    for b in range(logits.size(0)):
        probs = logits[b].softmax(0)
        total = 0.0
        for token in probs.argsort(descending=True).tolist():
            out[b, token] = logits[b, token]
            total += probs[token].item()
            if total >= p:
                break
    return out


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(1)
    return logits.masked_fill(probs / probs.amax() < p, NEG)


def next_token_probs(logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
                     top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0) -> Tensor:
    x = penalize(logits, tokens, penalty).div(temperature)
    x = keep_top_k(x, top_k if top_k else x.size(1))
    x = keep_min_p(keep_top_p(x, top_p), min_p)
    return x.softmax(1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    # 逆累积分布
    cdf = probs.cumsum(dim=1)
    index = torch.searchsorted(cdf, uniform.unsqueeze(1)).squeeze(1)
    return torch.clamp(index, max=probs.size(1) - 1)
