import torch

NEG = float("-inf")


def penalize(logits, tokens, penalty):
    tokens = tokens.long()
    score = torch.gather(logits, 1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    remove = logits < torch.topk(logits, k)[0][..., -1, None]
    return logits.masked_fill(remove, NEG)


def keep_top_p(logits, p):
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
    sorted_remove = cumulative >= p
    # shift right: the token that crosses the threshold stays
    sorted_remove = torch.roll(sorted_remove, 1, dims=-1)
    sorted_remove[..., 0] = False
    remove = sorted_remove.gather(1, sorted_indices)
    return logits.masked_fill(remove, NEG)


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    top = probs.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probs < p * top, NEG)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty)
    x = x / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    if min_p > 0.0:
        x = keep_min_p(x, min_p)
    return torch.softmax(x, dim=-1)


def draw(probs, uniform):
    below = probs.cumsum(-1) <= uniform[:, None]
    return below.sum(-1).clamp(max=probs.size(-1) - 1)
