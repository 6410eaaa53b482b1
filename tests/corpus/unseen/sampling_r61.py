"""Decoding utilities, tidy-data style: one row = one sequence."""
import torch
import torch.nn.functional as F
from torch import Tensor

HIDDEN = -torch.inf


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    # one-hot "has it occurred" table, like pd.crosstab(...).clip(upper=1)
    seen = torch.zeros_like(logits, dtype=torch.bool)
    seen = seen.scatter(1, tokens, torch.ones_like(tokens, dtype=torch.bool))
    less_likely = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, less_likely, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    kth = logits.sort(dim=-1, descending=True).values[:, k - 1 : k]
    return logits.where(logits >= kth, HIDDEN)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    share, order = F.softmax(logits, dim=-1).sort(dim=-1, descending=True)
    before = share.cumsum(-1).roll(1, dims=-1)
    before[:, 0] = 0
    keep_sorted = before < p
    rank = order.argsort(dim=-1)
    return logits.where(keep_sorted.gather(-1, rank), HIDDEN)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    share = F.softmax(logits, dim=-1)
    cutoff = share.amax(dim=-1, keepdim=True) * p
    return logits.where(share >= cutoff, HIDDEN)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    pipe = (
        lambda z: penalize(z, tokens, penalty),
        lambda z: z / temperature,
        lambda z: keep_top_k(z, top_k) if top_k else z,
        lambda z: keep_top_p(z, top_p),
        lambda z: keep_min_p(z, min_p),
    )
    out = logits
    for step in pipe:
        out = step(out)
    return F.softmax(out, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    steps = probs.cumsum(dim=-1)
    hit = steps > uniform.unsqueeze(1)
    # rounding may leave the last step below u: then the last token that has any probability
    last = probs.shape[1] - 1 - (probs > 0).flip(1).int().argmax(dim=1)
    return torch.where(hit.any(dim=1), hit.int().argmax(dim=1), last)
