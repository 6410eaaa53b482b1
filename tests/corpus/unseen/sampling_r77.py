# A sampler without a single sort: ranks and nuclei from comparisons of all pairs of tokens.
from functools import partial, reduce

import torch
from torch import Tensor


def _only(logits: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep, logits, torch.full_like(logits, -torch.inf))


def _likelier(row: Tensor) -> Tensor:
    """[i, j]: token j is likelier than token i, of one row"""
    return row[None, :] > row[:, None]


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, tokens.long(), True)
    factor = torch.where(logits > 0, 1 / torch.as_tensor(penalty, dtype=torch.float64), penalty).to(logits.dtype)
    return logits * torch.where(seen, factor, torch.ones_like(logits))


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    vocab = logits.size(-1)
    bar = logits.kthvalue(vocab - k + 1, dim=-1, keepdim=True).values
    return _only(logits, logits >= bar)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    probs = logits.softmax(-1)
    before = torch.stack([_likelier(z).to(q.dtype) @ q for z, q in zip(logits, probs)])
    return _only(logits, before < p)        # as long as the likelier ones do not reach p


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    relative = torch.exp(logits - logits.amax(-1, keepdim=True))
    return _only(logits, relative >= p)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")
    steps = [partial(penalize, tokens=tokens, penalty=penalty), lambda z: z / temperature]
    if top_k:
        steps.append(partial(keep_top_k, k=top_k))
    steps += [partial(keep_top_p, p=top_p), partial(keep_min_p, p=min_p)]
    return torch.softmax(reduce(lambda z, step: step(z), steps, logits), dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    running = probs.cumsum(-1)
    place = torch.searchsorted(running, uniform[:, None].to(running.dtype).contiguous(), right=True).squeeze(1)
    # where rounding leaves the whole sum at or below the number: the last token that can be drawn
    numbers = torch.arange(probs.size(1), device=probs.device)
    last = torch.where(probs > 0, numbers, 0).amax(-1)
    return torch.minimum(place, last)
