# attn-kata: sampling
import torch
from torch import Tensor

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    seen = torch.zeros_like(logits, dtype=torch.bool)
    seen[torch.arange(len(tokens), device=tokens.device)[:, None], tokens] = True
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, changed, logits)


def keep_top_k(logits, k):
    kth = logits.kthvalue(logits.shape[-1] - k + 1, dim=-1, keepdim=True).values
    return torch.where(logits >= kth, logits, NEG)


def keep_top_p(logits, p):
    order = logits.argsort(dim=-1, descending=True)
    probs = logits.softmax(-1).gather(-1, order)
    before = torch.cat([torch.zeros_like(probs[:, :1]), probs.cumsum(-1)[:, :-1]], dim=-1)
    # a token is in when the ones before it do not reach p yet
    inside = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < p)
    return logits.masked_fill(~inside, NEG)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.max(-1, keepdim=True).values, NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    pipeline = [lambda z: penalize(z, tokens, penalty), lambda z: z / temperature]
    if top_k > 0:
        pipeline.append(lambda z: keep_top_k(z, top_k))
    if top_p < 1:
        pipeline.append(lambda z: keep_top_p(z, top_p))
    if min_p > 0:
        pipeline.append(lambda z: keep_min_p(z, min_p))
    for stage in pipeline:
        logits = stage(logits)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    above = probs.cumsum(-1) > uniform[:, None]
    # rounding: a sum that stays below 1 leaves the last likely token
    last = (probs > 0).long().cumsum(-1).argmax(-1)
    return torch.where(above.any(-1), above.long().argmax(-1), last)
