# Thresholds and ranks; no sorted copy of the logits has to be brought back.
import torch

NEVER = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, tokens.long(), True)
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits, k):
    border = logits.kthvalue(logits.shape[-1] - k + 1, dim=-1, keepdim=True).values
    return logits.masked_fill(logits < border, NEVER)


def keep_top_p(logits, p):
    if p >= 1:
        return logits.clone()
    probs = logits.softmax(-1)
    out = torch.full_like(logits, NEVER)
    for row, (z, q) in enumerate(zip(logits, probs)):
        order = z.argsort(descending=True)
        # mass of the tokens that are likelier than this one
        before = q[order].cumsum(0).roll(1)
        before[0] = 0
        winners = order[before < p]
        out[row, winners] = z[winners]
    return out


def keep_min_p(logits, p):
    if p <= 0:
        return logits.clone()
    gap = torch.log(torch.as_tensor(p, dtype=logits.dtype, device=logits.device))
    return torch.where(logits - logits.amax(-1, keepdim=True) >= gap, logits, NEVER)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    z = penalize(logits, tokens, penalty) / temperature
    if top_k:
        z = keep_top_k(z, top_k)
    if top_p < 1:
        z = keep_top_p(z, top_p)
    if min_p:
        z = keep_min_p(z, min_p)
    return z.softmax(-1)


def draw(probs, uniform):
    running = probs.cumsum(-1)
    found = (running <= uniform[:, None]).sum(-1)
    # rounding may leave the sum below a number close to 1: then the last token with a probability
    place = torch.arange(probs.shape[-1], device=probs.device)
    last = torch.where(probs > 0, place, 0).amax(-1)
    return torch.minimum(found, last)
