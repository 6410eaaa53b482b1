import torch
import torch.nn.functional as F


class LogitsPipeline:
    """penalty -> temperature -> top-k -> top-p -> min-p"""

    def __init__(self, filler=float("-inf")):
        self.filler = filler

    def penalty(self, scores, ids, value):
        picked = torch.gather(scores, 1, ids)
        picked = torch.where(picked < 0, picked * value, picked / value)
        return scores.scatter(1, ids, picked)

    def top_k(self, scores, k):
        kth = torch.topk(scores, k)[0][..., -1, None]
        return scores.masked_fill(scores < kth, self.filler)

    def top_p(self, scores, p):
        if p >= 1:
            return scores
        asc, where = torch.sort(scores, descending=False)
        tail = asc.softmax(dim=-1).cumsum(dim=-1)
        drop = tail <= (1 - p)
        drop[..., -1:] = False
        return scores.masked_fill(drop.scatter(1, where, drop), self.filler)

    def min_p(self, scores, p):
        probs = F.softmax(scores, dim=-1)
        return scores.masked_fill(probs < p * probs.max(-1, keepdim=True)[0], self.filler)


_pipe = LogitsPipeline()


def penalize(logits, tokens, penalty):
    return _pipe.penalty(logits, tokens, penalty)


def keep_top_k(logits, k):
    return _pipe.top_k(logits, k)


def keep_top_p(logits, p):
    return _pipe.top_p(logits, p)


def keep_min_p(logits, p):
    return _pipe.min_p(logits, p)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    scores = penalize(logits, tokens, penalty) / temperature
    if top_k:
        scores = keep_top_k(scores, top_k)
    scores = keep_top_p(scores, top_p)
    scores = keep_min_p(scores, min_p)
    return F.softmax(scores, dim=-1)


def draw(probs, uniform):
    edges = torch.cumsum(probs, dim=-1)
    bins = torch.searchsorted(edges, uniform.unsqueeze(-1))
    return bins.squeeze(-1).clamp_max(probs.size(-1) - 1)
