import math
from abc import ABC, abstractmethod

import torch


class LogitsProcessor(ABC):
    @abstractmethod
    def __call__(self, input_ids, scores): ...


class RepetitionPenaltyLogitsProcessor(LogitsProcessor):
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        seen = torch.unique(input_ids)
        score = scores[:, seen]
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        scores = scores.clone()
        scores[:, seen] = score
        return scores


class TemperatureLogitsWarper(LogitsProcessor):
    def __init__(self, temperature):
        self.temperature = temperature

    def __call__(self, input_ids, scores):
        return scores / self.temperature


class TopKLogitsWarper(LogitsProcessor):
    def __init__(self, top_k):
        self.top_k = top_k

    def __call__(self, input_ids, scores):
        indices_to_remove = scores < torch.topk(scores, self.top_k)[0][..., -1, None]
        return scores.masked_fill(indices_to_remove, -math.inf)


class TopPLogitsWarper(LogitsProcessor):
    def __init__(self, top_p):
        self.top_p = top_p

    def __call__(self, input_ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=True)
        cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        sorted_indices_to_remove = cumulative_probs >= self.top_p
        # shift to the right, to keep the first token above the threshold too
        sorted_indices_to_remove = sorted_indices_to_remove.roll(1, dims=-1)
        sorted_indices_to_remove[..., 0] = False
        indices_to_remove = sorted_indices_to_remove.scatter(
            1, sorted_indices, sorted_indices_to_remove
        )
        return scores.masked_fill(indices_to_remove, -math.inf)


class MinPLogitsWarper(LogitsProcessor):
    def __init__(self, min_p):
        self.min_p = min_p

    def __call__(self, input_ids, scores):
        probs = torch.softmax(scores, dim=-1)
        top_probs = probs.max(dim=-1, keepdim=True).values
        return scores.masked_fill(probs < self.min_p * top_probs, -math.inf)


def penalize(logits, tokens, penalty):
    return RepetitionPenaltyLogitsProcessor(penalty)(tokens, logits)


def keep_top_k(logits, k):
    return TopKLogitsWarper(k)(None, logits)


def keep_top_p(logits, p):
    return TopPLogitsWarper(p)(None, logits)


def keep_min_p(logits, p):
    return MinPLogitsWarper(p)(None, logits)


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    processors = [RepetitionPenaltyLogitsProcessor(penalty), TemperatureLogitsWarper(temperature)]
    if top_k != 0:
        processors.append(TopKLogitsWarper(top_k))
    if top_p < 1.0:
        processors.append(TopPLogitsWarper(top_p))
    if min_p > 0.0:
        processors.append(MinPLogitsWarper(min_p))
    for processor in processors:
        logits = processor(tokens, logits)
    return torch.softmax(logits, dim=-1)


def draw(probs, uniform):
    passed = probs.cumsum(dim=-1) <= uniform[:, None]
    return passed.sum(dim=-1).clamp(max=probs.shape[-1] - 1)
