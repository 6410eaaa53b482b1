import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for row in range(logits.size(0)):
        ids = torch.unique(tokens[row]).long()
        picked = logits[row, ids]
        out[row, ids] = torch.where(picked < 0, picked * penalty, picked / penalty)
    return out


def keep_top_k(logits, k):
    idx = torch.topk(logits, k, dim=1).indices
    out = torch.full_like(logits, -torch.inf)
    return out.scatter(1, idx, logits.gather(1, idx))


def keep_top_p(logits, p):
    idx = torch.argsort(logits, dim=1, descending=True)
    cum = torch.softmax(logits.gather(1, idx), dim=1).cumsum(1)
    drop = torch.zeros_like(cum, dtype=torch.bool)
    drop[:, 1:] = cum[:, :-1] >= p
    mask = torch.empty_like(drop).scatter_(1, idx, drop)
    return logits.masked_fill(mask, -torch.inf)


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=1)
    return torch.where(probs >= p * probs.max(dim=1, keepdim=True).values, logits, -torch.inf)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    z = penalize(logits, tokens, penalty) / temperature
    stages = [(top_k > 0, keep_top_k, top_k), (top_p < 1, keep_top_p, top_p), (min_p > 0, keep_min_p, min_p)]
    for wanted, stage, setting in stages:
        z = stage(z, setting) if wanted else z
    return torch.softmax(z, dim=1)


def draw(probs, uniform):
    running = torch.cumsum(probs, dim=1)
    token = torch.searchsorted(running, uniform[:, None])
    return token.squeeze(1).clamp(max=probs.shape[1] - 1)
