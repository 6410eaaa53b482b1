# 采样器
import torch
from torch import Tensor

INF = float("inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    out = logits.clone()
    for b in range(logits.shape[0]):
        seen = torch.unique(tokens[b]).long()       # 每个词只惩罚一次
        old = logits[b, seen]
        out[b, seen] = torch.where(old > 0, old / penalty, old * penalty)
    return out


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    threshold = logits.sort(dim=-1).values[:, -k].unsqueeze(1)
    return torch.where(logits >= threshold, logits, -INF)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    out = torch.full_like(logits, -INF)
    probs = torch.softmax(logits, dim=-1)
    for b in range(logits.shape[0]):
        order = torch.argsort(logits[b], descending=True)
        total = torch.cumsum(probs[b, order], dim=0)
        n = int((total < p).sum()) + 1              # 刚好达到 p 的词也保留
        out[b, order[:n]] = logits[b, order[:n]]
    return out


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    threshold = p * probs.max()
    return torch.where(probs >= threshold, logits, -INF)


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
    top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k != 0:
        logits = keep_top_k(logits, top_k)
    if top_p != 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p != 0.0:
        logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    total = torch.cumsum(probs, dim=-1)
    index = torch.searchsorted(total, uniform.unsqueeze(1), right=True).squeeze(1)
    return torch.clamp(index, max=probs.shape[-1] - 1)
