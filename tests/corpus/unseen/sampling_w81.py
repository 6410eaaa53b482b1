import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for row, seen in enumerate(tokens):
        ids = torch.unique(seen).long()
        vals = logits[row, ids]
        out[row, ids] = torch.where(vals > 0, vals / penalty, vals * penalty)
    return out


def keep_top_k(logits, k):
    values, indices = torch.topk(logits, k)
    return torch.full_like(logits, float("-inf")).scatter(-1, indices, values)


def keep_top_p(logits, p):
    sorted_logits, order = torch.sort(logits, descending=True)
    probs = torch.softmax(sorted_logits, -1)
    remove = probs.cumsum(-1) - probs >= p
    remove[:, 0] = False
    return sorted_logits.masked_fill(remove, float("-inf")).gather(-1, order.argsort(-1))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, -1)
    return torch.where(probs >= p * probs.max(-1, keepdim=True).values, logits, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p:
        logits = keep_min_p(logits, min_p)
    return torch.softmax(logits, dim=-1)


def draw(probs, uniform):
    cdf = torch.cumsum(probs, dim=-1)
    reached = cdf >= uniform.unsqueeze(-1)
    # argmax gives the first True of a row
    return reached.int().argmax(dim=-1)
