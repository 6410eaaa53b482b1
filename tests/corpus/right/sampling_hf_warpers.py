# right: sampling
import torch


class RepetitionPenaltyLogitsProcessor:
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        score = torch.gather(scores, 1, input_ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, score)


class TemperatureLogitsWarper:
    def __init__(self, temperature):
        self.temperature = temperature

    def __call__(self, input_ids, scores):
        return scores / self.temperature


class TopKLogitsWarper:
    def __init__(self, top_k, filter_value=-float("Inf"), min_tokens_to_keep=1):
        self.top_k = max(top_k, min_tokens_to_keep)
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        top_k = min(self.top_k, scores.size(-1))
        indices_to_remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
        return scores.masked_fill(indices_to_remove, self.filter_value)


class TopPLogitsWarper:
    def __init__(self, top_p, filter_value=-float("Inf"), min_tokens_to_keep=1):
        self.top_p = top_p
        self.filter_value = filter_value
        self.min_tokens_to_keep = min_tokens_to_keep

    def __call__(self, input_ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        sorted_indices_to_remove = cumulative_probs <= (1 - self.top_p)
        sorted_indices_to_remove[..., -self.min_tokens_to_keep :] = 0
        indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
        return scores.masked_fill(indices_to_remove, self.filter_value)


class MinPLogitsWarper:
    def __init__(self, min_p, filter_value=-float("Inf")):
        self.min_p = min_p
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        probs = torch.softmax(scores, dim=-1)
        top_probs, _ = probs.max(dim=-1, keepdim=True)
        return scores.masked_fill(probs < self.min_p * top_probs, self.filter_value)


def penalize(logits, tokens, penalty):
    return RepetitionPenaltyLogitsProcessor(penalty)(tokens, logits)


def keep_top_k(logits, k):
    return TopKLogitsWarper(k)(None, logits)


def keep_top_p(logits, p):
    return TopPLogitsWarper(p)(None, logits)


def keep_min_p(logits, p):
    return MinPLogitsWarper(p)(None, logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    processors = []
    if penalty != 1.0:
        processors.append(RepetitionPenaltyLogitsProcessor(penalty))
    if temperature != 1.0:
        processors.append(TemperatureLogitsWarper(temperature))
    if top_k is not None and top_k != 0:
        processors.append(TopKLogitsWarper(top_k))
    if top_p < 1.0:
        processors.append(TopPLogitsWarper(top_p))
    if min_p > 0.0:
        processors.append(MinPLogitsWarper(min_p))
    for processor in processors:
        logits = processor(tokens, logits)
    return torch.softmax(logits, dim=-1)


def draw(probs, uniform):
    cdf = torch.cumsum(probs, dim=-1)
    return torch.searchsorted(cdf, uniform[:, None], right=True).squeeze(1).clamp(max=probs.size(-1) - 1)
