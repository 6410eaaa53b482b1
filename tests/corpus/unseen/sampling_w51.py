import torch


def penalize(logits, tokens, penalty):
    picked = logits.gather(1, tokens)
    picked = torch.where(picked > 0, picked / penalty, picked * penalty)
    return logits.scatter(1, tokens, picked)


def _top_k_mask(logits, k):
    mask = torch.zeros_like(logits, dtype=torch.bool)
    return mask.scatter(1, logits.topk(k, dim=1).indices, True)


def _top_p_mask(logits, p):
    s, order = logits.sort(dim=1, descending=True)
    probs = s.softmax(dim=1)
    keep = (probs.cumsum(1) - probs) < p
    if p >= 1:
        keep[:] = True
    return torch.zeros_like(keep).scatter(1, order, keep)


def _min_p_mask(logits, p):
    probs = logits.softmax(dim=1)
    return probs >= p * probs.max(dim=1, keepdim=True).values


def keep_top_k(logits, k):
    return logits.masked_fill(~_top_k_mask(logits, k), float("-inf"))


def keep_top_p(logits, p):
    return logits.masked_fill(~_top_p_mask(logits, p), float("-inf"))


def keep_min_p(logits, p):
    return logits.masked_fill(~_min_p_mask(logits, p), float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    keep = _top_p_mask(logits, top_p) & _min_p_mask(logits, min_p)
    if top_k > 0:
        keep &= _top_k_mask(logits, top_k)
    return logits.masked_fill(~keep, float("-inf")).softmax(dim=1)


def draw(probs, uniform):
    index = torch.searchsorted(probs.cumsum(1), uniform[:, None], right=True)[:, 0]
    return index.clamp(max=probs.shape[1] - 1)
