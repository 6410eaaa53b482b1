import torch
from torch import nn


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
    def __init__(self, top_k, filter_value=-float("inf")):
        self.top_k = top_k
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        top_k = min(self.top_k, scores.size(-1))
        kth_score = torch.topk(scores, top_k)[0][..., -1, None]
        indices_to_remove = scores < kth_score
        return scores.masked_fill(indices_to_remove, self.filter_value)


class TopPLogitsWarper:
    def __init__(self, top_p, filter_value=-float("inf")):
        self.top_p = top_p
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=True)
        sorted_probs = nn.functional.softmax(sorted_logits, dim=-1)
        cumulative_probs = sorted_probs.cumsum(dim=-1)
        sorted_to_remove = cumulative_probs - sorted_probs >= self.top_p
        indices_to_remove = sorted_to_remove.scatter(1, sorted_indices, sorted_to_remove)
        return scores.masked_fill(indices_to_remove, self.filter_value)


class MinPLogitsWarper:
    def __init__(self, min_p, filter_value=-float("inf")):
        self.min_p = min_p
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        probs = nn.functional.softmax(scores, dim=-1)
        top_probs = probs.amax(dim=-1, keepdim=True)
        scaled_min_p = self.min_p * top_probs
        tokens_to_remove = probs < scaled_min_p
        return scores.masked_fill(tokens_to_remove, self.filter_value)


def penalize(scores, input_ids, penalty):
    return RepetitionPenaltyLogitsProcessor(penalty)(input_ids, scores)


def keep_top_k(scores, top_k):
    return TopKLogitsWarper(top_k)(None, scores)


def keep_top_p(scores, top_p):
    return TopPLogitsWarper(top_p)(None, scores)


def keep_min_p(scores, min_p):
    return MinPLogitsWarper(min_p)(None, scores)


def next_token_probs(
    scores, input_ids, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, repetition_penalty=1.0
):
    processors = [RepetitionPenaltyLogitsProcessor(repetition_penalty)]
    processors.append(TemperatureLogitsWarper(temperature))
    if top_k != 0:
        processors.append(TopKLogitsWarper(top_k))
    processors.append(TopPLogitsWarper(top_p))
    processors.append(MinPLogitsWarper(min_p))
    for processor in processors:
        scores = processor(input_ids, scores)
    return nn.functional.softmax(scores, dim=-1)


def draw(probs, uniform):
    cdf = torch.cumsum(probs, dim=-1)
    next_tokens = torch.searchsorted(cdf, uniform[:, None], right=True).squeeze(1)
    return next_tokens.clamp(max=probs.size(-1) - 1)
