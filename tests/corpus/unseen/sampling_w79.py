import torch
import torch.nn.functional as F


class LogitsProcessor:
    def __call__(self, logits):
        raise NotImplementedError


class TopK(LogitsProcessor):
    def __init__(self, k):
        self.k = k

    def __call__(self, logits):
        cutoff = logits.topk(self.k).values.min(dim=-1, keepdim=True).values
        return logits.masked_fill(logits < cutoff, -float("inf"))


class TopP(LogitsProcessor):
    def __init__(self, p):
        self.p = p

    def __call__(self, logits):
        s, idx = logits.sort(descending=True)
        c = s.softmax(-1).cumsum(-1)
        drop = torch.cat([torch.zeros_like(c[:, :1], dtype=torch.bool), c[:, :-1] >= self.p], dim=-1)
        return logits.masked_fill(torch.zeros_like(drop).scatter(1, idx, drop), -float("inf"))


class MinP(LogitsProcessor):
    def __init__(self, p):
        self.p = p

    def __call__(self, logits):
        probs = F.softmax(logits, dim=-1)
        drop = probs < self.p
        drop = drop & (probs < probs.max(dim=-1, keepdim=True).values)
        return logits.masked_fill(drop, -float("inf"))


def penalize(logits, tokens, penalty):
    mask = torch.zeros_like(logits, dtype=torch.bool)
    mask[torch.arange(len(logits), device=logits.device)[:, None], tokens.long()] = True
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(mask, changed, logits)


def keep_top_k(logits, k):
    return TopK(k)(logits)


def keep_top_p(logits, p):
    return TopP(p)(logits)


def keep_min_p(logits, p):
    return MinP(p)(logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    chain = [TopK(top_k)] if top_k else []
    chain += [TopP(top_p)] if top_p < 1 else []
    chain += [MinP(min_p)]
    out = penalize(logits, tokens, penalty) / temperature
    for process in chain:
        out = process(out)
    return F.softmax(out, dim=-1)


def draw(probs, uniform):
    running = probs.cumsum(-1)
    return (running <= uniform.unsqueeze(-1)).sum(-1).clamp(max=probs.size(-1) - 1)
