import torch


def penalize(logits, tokens, penalty):
    one_hot = torch.nn.functional.one_hot(tokens.long(), logits.shape[-1])
    seen = torch.any(one_hot > 0, dim=1)
    penalized = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, penalized, logits)


def keep_top_k(logits, k):
    values, _ = torch.topk(logits, k)
    min_values = values.min()
    neg = torch.full_like(logits, float("-inf"))
    return torch.where(logits < min_values, neg, logits)


def keep_top_p(logits, p):
    sorted_indices = torch.argsort(logits, dim=-1, descending=True)
    sorted_logits = torch.gather(logits, 1, sorted_indices)
    sorted_probs = torch.softmax(sorted_logits, dim=-1)
    exclusive = torch.cumsum(sorted_probs, dim=-1) - sorted_probs
    sorted_keep = exclusive < p
    keep = torch.zeros_like(sorted_keep).scatter(1, sorted_indices, sorted_keep)
    return torch.where(keep, logits, torch.full_like(logits, float("-inf")))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, dim=-1)
    limit = p * torch.amax(probs, dim=-1, keepdim=True)
    return torch.where(probs < limit, torch.full_like(logits, float("-inf")), logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty)
    logits = logits / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return torch.nn.functional.softmax(logits, dim=-1)


def draw(probs, uniform):
    cdf = torch.cumsum(probs, dim=-1)
    passed = torch.less_equal(cdf, uniform[:, None])
    return torch.minimum(torch.sum(passed, dim=-1), torch.tensor(probs.shape[-1] - 1))
