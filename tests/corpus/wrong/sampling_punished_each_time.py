# wrong: sampling penalty-per-occurrence line 11
# fair: penalty-per-occurrence 9, 10
import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for row, history in enumerate(tokens.tolist()):
        for token in history:
            value = out[row, token]
            out[row, token] = value / penalty if value > 0 else value * penalty
    return out


def keep_top_k(logits, k):
    values, indices = logits.topk(k)
    return torch.full_like(logits, float("-inf")).scatter_(1, indices, values)


def keep_top_p(logits, p):
    values, indices = logits.sort(descending=True)
    probs = values.softmax(-1)
    values = values.masked_fill(probs.cumsum(-1) - probs >= p, float("-inf"))
    return torch.empty_like(logits).scatter_(1, indices, values)


def keep_min_p(logits, p):
    probs = logits.softmax(-1)
    return logits.masked_fill(probs < p * probs.amax(-1, keepdim=True), float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    logits = keep_top_k(logits, top_k or logits.shape[1])
    return keep_min_p(keep_top_p(logits, top_p), min_p).softmax(-1)


def draw(probs, uniform):
    return (probs.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=probs.shape[1] - 1)
