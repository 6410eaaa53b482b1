import torch


class LogitsProcessor:
    filter_value = -float("inf")

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        raise NotImplementedError


class RepetitionPenaltyLogitsProcessor(LogitsProcessor):
    def __init__(self, penalty: float):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        input_ids = input_ids.to(torch.int64)
        score = torch.gather(scores, 1, input_ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, score)


class TemperatureLogitsWarper(LogitsProcessor):
    def __init__(self, temperature: float):
        self.temperature = temperature

    def __call__(self, input_ids, scores):
        return scores / self.temperature


class TopKLogitsWarper(LogitsProcessor):
    def __init__(self, top_k: int):
        self.top_k = top_k

    def __call__(self, input_ids, scores):
        indices_to_remove = scores < torch.topk(scores, self.top_k)[0][..., -1, None]
        return scores.masked_fill(indices_to_remove, self.filter_value)


class TopPLogitsWarper(LogitsProcessor):
    def __init__(self, top_p: float, min_tokens_to_keep: int = 1):
        self.top_p = top_p
        self.min_tokens_to_keep = min_tokens_to_keep

    def __call__(self, input_ids, scores):
        if self.top_p >= 1.0:
            return scores.clone()
        sorted_logits, sorted_indices = torch.sort(scores, descending=True)
        cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        sorted_indices_to_remove = cumulative_probs >= self.top_p
        sorted_indices_to_remove[..., : self.min_tokens_to_keep] = False
        indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
        return scores.masked_fill(indices_to_remove, self.filter_value)


class MinPLogitsWarper(LogitsProcessor):
    def __init__(self, min_p: float):
        self.min_p = min_p

    def __call__(self, input_ids, scores):
        probs = torch.softmax(scores, dim=-1)
        top_probs, _ = probs.max(dim=-1, keepdim=True)
        return scores.masked_fill(probs < self.min_p * top_probs, self.filter_value)


class LogitsProcessorList(list):
    def __call__(self, input_ids, scores):
        for processor in self:
            scores = processor(input_ids, scores)
        return scores


def penalize(logits, tokens, penalty):
    return RepetitionPenaltyLogitsProcessor(penalty)(tokens, logits)


def keep_top_k(logits, k):
    return TopKLogitsWarper(k)(None, logits)


def keep_top_p(logits, p):
    return TopPLogitsWarper(p)(None, logits)


def keep_min_p(logits, p):
    return MinPLogitsWarper(p)(None, logits)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    processors = LogitsProcessorList()
    processors.append(RepetitionPenaltyLogitsProcessor(penalty))
    processors.append(TemperatureLogitsWarper(temperature))
    if top_k != 0:
        processors.append(TopKLogitsWarper(top_k))
    processors.append(TopPLogitsWarper(top_p))
    processors.append(MinPLogitsWarper(min_p))
    return processors(tokens, logits).softmax(dim=-1)


def draw(probs, uniform):
    cumulative = probs.cumsum(dim=-1)
    above = cumulative > uniform.unsqueeze(-1)
    above[:, -1] = True
    return above.int().argmax(dim=-1)
