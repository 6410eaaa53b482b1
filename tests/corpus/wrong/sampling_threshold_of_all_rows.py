# wrong: sampling threshold-shared line 12
# fair: threshold-shared 13
import torch


def penalize(logits, input_ids, penalty):
    scores = torch.gather(logits, 1, input_ids)
    return logits.scatter(1, input_ids, torch.where(scores < 0, scores * penalty, scores / penalty))


def keep_top_k(logits, k):
    threshold = torch.topk(logits, k)[0].min()
    return logits.masked_fill(logits < threshold, float("-inf"))


def keep_top_p(logits, p):
    probs, indices = torch.sort(logits.softmax(dim=-1), descending=True)
    mask = torch.cumsum(probs, dim=-1) - probs >= p
    return logits.masked_fill(mask.scatter(1, indices, mask), float("-inf"))


def keep_min_p(logits, p):
    probs = logits.softmax(dim=-1)
    return logits.masked_fill(probs < p * probs.max(dim=-1, keepdim=True)[0], float("-inf"))


def next_token_probs(logits, input_ids, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    logits = penalize(logits, input_ids, penalty) / temperature
    if top_k:
        kth = torch.topk(logits, top_k)[0][:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    if top_p < 1:
        logits = keep_top_p(logits, top_p)
    if min_p:
        logits = keep_min_p(logits, min_p)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    return torch.searchsorted(probs.cumsum(-1), uniform[:, None], right=True).view(-1)
