"""transformers' LogitsProcessor classes, thinned out; the functions asked for call them."""
import torch


class RepetitionPenalty:
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        input_ids = input_ids.long()
        score = torch.gather(scores, 1, input_ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, score)      # the same number as often as a token occurs


class Temperature:
    def __init__(self, temperature):
        self.temperature = temperature

    def __call__(self, input_ids, scores):
        return scores / self.temperature


class TopK:
    def __init__(self, top_k):
        self.top_k = top_k

    def __call__(self, input_ids, scores):
        top_k = min(self.top_k, scores.size(-1))
        indices_to_remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
        return scores.masked_fill(indices_to_remove, -float("inf"))


class TopP:
    def __init__(self, top_p):
        self.top_p = top_p

    def __call__(self, input_ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=True)
        probs = sorted_logits.softmax(dim=-1)
        before = probs.cumsum(dim=-1) - probs            # what the likelier ones have together
        sorted_to_remove = before >= self.top_p
        sorted_to_remove[..., :1] = False
        indices_to_remove = sorted_to_remove.scatter(1, sorted_indices, sorted_to_remove)
        return scores.masked_fill(indices_to_remove, -float("inf"))


class MinP:
    def __init__(self, min_p):
        self.min_p = min_p

    def __call__(self, input_ids, scores):
        probs = torch.softmax(scores, dim=-1)
        scaled_min_p = self.min_p * probs.amax(dim=-1, keepdim=True)
        return scores.masked_fill(probs < scaled_min_p, -float("inf"))


def penalize(logits, tokens, penalty):
    return RepetitionPenalty(penalty)(tokens, logits)


def keep_top_k(logits, k):
    return TopK(k)(None, logits)


def keep_top_p(logits, p):
    return TopP(p)(None, logits)


def keep_min_p(logits, p):
    return MinP(p)(None, logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    processors = []
    if penalty != 1.0:
        processors.append(RepetitionPenalty(penalty))
    if temperature != 1.0:
        processors.append(Temperature(temperature))
    if top_k:
        processors.append(TopK(top_k))
    if top_p < 1.0:
        processors.append(TopP(top_p))
    if min_p > 0.0:
        processors.append(MinP(min_p))
    for processor in processors:
        logits = processor(tokens, logits)
    return logits.softmax(dim=-1)


def draw(probs, uniform):
    running = probs.cumsum(dim=-1)
    index = torch.searchsorted(running, uniform.to(running.dtype).unsqueeze(-1), right=True).squeeze(-1)
    # where rounding leaves the sum a little below 1, the last token that can be drawn
    last = probs.size(-1) - 1 - (probs > 0).flip(-1).int().argmax(-1)
    return torch.minimum(index, last)
