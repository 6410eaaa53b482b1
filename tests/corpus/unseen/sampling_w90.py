import torch


class Sampler:
    def __init__(self, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p
        self.min_p = min_p
        self.penalty = penalty

    def repetition(self, logits, tokens):
        out = logits.clone()
        for b in range(logits.shape[0]):
            seen = torch.unique(tokens[b])
            out[b, seen] = out[b, seen] / self.penalty
        return out

    def topk(self, logits):
        if self.top_k == 0:
            return logits
        best = logits.topk(self.top_k, dim=-1)
        return torch.full_like(logits, float("-inf")).scatter(-1, best.indices, best.values)

    def topp(self, logits):
        s, idx = logits.sort(dim=-1, descending=True)
        pr = s.softmax(-1)
        s = s.masked_fill(pr.cumsum(-1) - pr >= self.top_p, float("-inf"))
        return torch.empty_like(logits).scatter_(-1, idx, s)

    def minp(self, logits):
        pr = logits.softmax(-1)
        return logits.masked_fill(pr < self.min_p * pr.max(-1, keepdim=True).values, float("-inf"))

    def __call__(self, logits, tokens):
        x = self.repetition(logits, tokens)
        x = x / self.temperature
        return self.minp(self.topp(self.topk(x))).softmax(-1)


def penalize(logits, tokens, penalty):
    return Sampler(penalty=penalty).repetition(logits, tokens)


def keep_top_k(logits, k):
    return Sampler(top_k=k).topk(logits)


def keep_top_p(logits, p):
    return Sampler(top_p=p).topp(logits)


def keep_min_p(logits, p):
    return Sampler(min_p=p).minp(logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    return Sampler(temperature, top_k, top_p, min_p, penalty)(logits, tokens)


def draw(probs, uniform):
    above = probs.cumsum(-1) > uniform.unsqueeze(-1)
    return above.int().argmax(-1)
