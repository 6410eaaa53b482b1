from functools import partial, reduce

import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    vocab = torch.arange(logits.shape[-1], device=logits.device)
    had = torch.isin
    seen = torch.stack([had(vocab, row) for row in tokens])
    less = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, less, logits)


def _only(keep, logits):
    return torch.where(keep, logits, -torch.inf)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    rank = logits.argsort(-1, descending=True).argsort(-1)
    return _only(rank < k, logits)


def _nucleus_row(p, row):
    probs = row.softmax(-1)
    order = probs.argsort(descending=True).tolist()

    def take(state, token):
        chosen, total = state
        return state if total >= p else (chosen + [token], total + probs[token].item())

    chosen, _ = reduce(take, order, ([], 0.0))
    keep = torch.zeros_like(row, dtype=torch.bool)
    keep[chosen] = True
    return _only(keep, row)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    return torch.stack([*map(partial(_nucleus_row, p), logits)])


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = logits.softmax(-1)
    return _only(probs >= p * probs.amax(-1, keepdim=True), logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    steps = [
        partial(penalize, tokens=tokens, penalty=penalty),
        lambda l: l / temperature,
        partial(keep_top_k, k=top_k) if top_k else lambda l: l,
        partial(keep_top_p, p=top_p) if top_p < 1 else lambda l: l,
        partial(keep_min_p, p=min_p),
        partial(torch.softmax, dim=-1),
    ]
    return reduce(lambda l, f: f(l), steps, logits)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    passed = probs.cumsum(-1) <= uniform[:, None]
    return passed.sum(-1).clamp(max=probs.shape[-1] - 1)
