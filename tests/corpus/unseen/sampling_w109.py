import torch

NEG = -torch.inf


def _mask(x, drop):
    return torch.where(drop, torch.full_like(x, NEG), x)


def penalize(logits, tokens, penalty):
    hit = torch.nn.functional.one_hot(tokens.long(), logits.size(1)).amax(1).bool()
    factor = torch.where(logits > 0, 1 / penalty, penalty)
    return torch.where(hit, logits * factor, logits)


def keep_top_k(logits, k):
    kth = logits.kthvalue(logits.size(1) - k + 1, dim=1, keepdim=True).values
    return _mask(logits, logits < kth)


def keep_top_p(logits, p):
    s, i = logits.sort(1, True)
    q = s.softmax(1)
    n = (q.cumsum(1) < p).sum(1, keepdim=True) + 1  # how many stay
    drop = torch.arange(logits.size(1), device=logits.device) >= n
    return torch.full_like(logits, NEG).scatter(1, i, _mask(s, drop))


def keep_min_p(logits, p):
    top = logits.amax(1, keepdim=True)
    return _mask(logits, (logits - top).exp() < p)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty) / temperature
    x = keep_top_k(x, top_k or x.size(1))
    x = keep_top_p(x, top_p)
    return keep_min_p(x, min_p).softmax(1)


def draw(probs, uniform):
    cdf = probs.cumsum(1)
    cdf[:, -1] = 1.0
    return torch.searchsorted(cdf, uniform.unsqueeze(1)).squeeze(1)
