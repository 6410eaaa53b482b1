# wrong: sampling top-p-crossing-dropped line 24
# fair: top-p-crossing-dropped 25, 27
import torch
import torch.nn.functional as F


def penalize(logits, tokens, penalty):
    score = logits.gather(1, tokens)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, tokens, score)


def keep_top_k(logits, k):
    values, _ = torch.topk(logits, k)
    return logits.masked_fill(logits < values[:, -1].unsqueeze(1), float("-inf"))


def keep_top_p(logits, p):
    logits = logits.clone()
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    probs = F.softmax(sorted_logits, dim=-1)
    cumulative_probs = torch.cumsum(probs, dim=-1)

    sorted_indices_to_remove = cumulative_probs > p
    sorted_indices_to_remove[:, 0] = False
    indices_to_remove = torch.zeros_like(sorted_indices_to_remove)
    indices_to_remove.scatter_(1, sorted_indices, sorted_indices_to_remove)
    logits[indices_to_remove] = float("-inf")
    return logits


def keep_min_p(logits, p):
    probs = F.softmax(logits, dim=-1)
    limit = p * probs.max(dim=-1, keepdim=True).values
    return logits.masked_fill(probs < limit, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, tokens, penalty) / temperature
    if top_k > 0:
        logits = keep_top_k(logits, top_k)
    if top_p < 1.0:
        logits = keep_top_p(logits, top_p)
    if min_p > 0.0:
        logits = keep_min_p(logits, min_p)
    return F.softmax(logits, dim=-1)


def draw(probs, uniform):
    return torch.searchsorted(probs.cumsum(-1), uniform.unsqueeze(-1), right=True).squeeze(-1)
