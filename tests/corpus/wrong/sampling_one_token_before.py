# wrong: sampling draw-at-equal line 42, draw-off-by-one line 43
# fair: draw-off-by-one 44
import torch

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    B = logits.size(0)
    rows = torch.arange(B, device=logits.device).unsqueeze(1).expand_as(tokens)
    old = logits[rows, tokens]
    new = torch.where(old > 0, old / penalty, old * penalty)
    return logits.index_put((rows, tokens), new)


def keep_top_k(logits, k):
    return logits.masked_fill(logits < logits.topk(k)[0][:, -1:], NEG)


def keep_top_p(logits, p):
    probs, idx = logits.softmax(-1).sort(descending=True)
    drop = probs.cumsum(-1) - probs >= p
    return logits.masked_fill(torch.empty_like(drop).scatter_(1, idx, drop), NEG)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.max(-1, True)[0], NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    z = penalize(logits, tokens, penalty) / temperature
    if top_k:
        z = keep_top_k(z, top_k)
    z = keep_top_p(z, top_p)
    z = keep_min_p(z, min_p)
    return z.softmax(-1)


def draw(probs, uniform):
    cdf = probs.cumsum(-1)
    below = (cdf < uniform[:, None]).sum(-1)
    token = below - 1
    return token.clamp_min(0)
