import functools

import torch

INF = float("inf")


def penalize(logits, tokens, penalty):
    vocab = logits.shape[-1]
    counts = torch.nn.functional.one_hot(tokens, vocab).sum(dim=1)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(counts > 0, weaker, logits)


def _hide(logits, keep):
    return torch.where(keep, logits, -INF)


def keep_top_k(logits, k):
    kth = torch.sort(logits, dim=-1).values[:, -k]
    return _hide(logits, logits >= kth[:, None])


def keep_top_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    descending = torch.sort(probs, dim=-1, descending=True).values
    cdf = torch.cumsum(descending, dim=-1)
    # how many tokens it takes, then the smallest of them is the threshold
    needed = torch.clamp(torch.sum(cdf < p, dim=-1), max=probs.shape[-1] - 1)
    threshold = torch.take_along_dim(descending, needed[:, None], dim=-1)
    return _hide(logits, probs >= threshold)


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    return _hide(logits, probs >= p * torch.amax(probs, dim=-1, keepdim=True))


def _compose(*fns):
    return functools.partial(functools.reduce, lambda z, f: f(z), fns)


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    pipeline = _compose(
        lambda z: penalize(z, tokens, penalty),
        lambda z: z / temperature,
        lambda z: keep_top_k(z, top_k) if top_k else z,
        lambda z: keep_top_p(z, top_p) if top_p < 1 else z,
        lambda z: keep_min_p(z, min_p) if min_p else z,
    )
    return torch.softmax(pipeline(logits), dim=-1)


def draw(probs, uniform):
    cdf = torch.cumsum(probs, dim=-1)
    index = torch.searchsorted(cdf, uniform[:, None])[:, 0]
    return torch.clamp(index, max=probs.shape[-1] - 1)
