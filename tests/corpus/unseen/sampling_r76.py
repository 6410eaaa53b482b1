import torch
from torch import Tensor

NEG = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    changed = torch.maximum(logits, logits.new_zeros(())) / penalty + logits.clamp(max=0) * penalty
    return torch.where(seen, changed, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return logits.masked_fill(rank >= k, NEG)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    order = logits.argsort(-1, descending=True)
    probs = logits.softmax(-1).gather(-1, order)
    before = torch.nn.functional.pad(probs.cumsum(-1), (1, 0))[..., :-1]
    keep = torch.empty_like(logits, dtype=torch.bool).scatter_(-1, order, before < p)
    return torch.where(keep, logits, NEG)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), NEG)


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0,
    top_p: float = 1.0, min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    pipeline = [
        lambda z: penalize(z, tokens, penalty),
        lambda z: z / temperature,
        lambda z: keep_top_k(z, top_k or z.size(-1)),
        lambda z: keep_top_p(z, top_p) if top_p < 1 else z,
        lambda z: keep_min_p(z, min_p),
    ]
    for stage in pipeline:
        logits = stage(logits)
    return torch.softmax(logits, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    cdf = probs.cumsum(-1)
    hit = torch.searchsorted(cdf, uniform[:, None].to(cdf.dtype).contiguous(), right=True).squeeze(1)
    last = probs.size(1) - 1 - probs.flip(1).gt(0).int().argmax(1)
    return torch.minimum(hit, last)
