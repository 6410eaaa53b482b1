import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    vocab = logits.shape[-1]
    used = torch.zeros(vocab, dtype=torch.bool, device=logits.device)
    used[tokens.flatten()] = True
    weaker = torch.where(logits < 0, logits * penalty, logits / penalty)
    return torch.where(used, weaker, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, _ = torch.topk(logits, k, dim=-1)
    smallest = values[:, -1].unsqueeze(-1)
    return logits.masked_fill(logits < smallest, float("-inf"))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    sorted_logits, sorted_idx = torch.sort(logits, dim=-1, descending=True)
    probs = torch.softmax(sorted_logits, dim=-1)
    cum = torch.cumsum(probs, dim=-1)
    remove = (cum - probs) >= p
    if p >= 1.0:
        remove = torch.zeros_like(remove)
    remove = torch.zeros_like(remove).scatter(-1, sorted_idx, remove)
    return logits.masked_fill(remove, float("-inf"))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    top = probs.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probs < p * top, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty)
    x = x / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    if min_p > 0.0:
        x = keep_min_p(x, min_p)
    return torch.softmax(x, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cum = probs.cumsum(dim=-1)
    below = cum <= uniform[:, None]
    return below.sum(dim=-1).clamp(max=probs.shape[-1] - 1)
