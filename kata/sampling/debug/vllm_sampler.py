from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class SamplingMetadata:
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repetition_penalty: float


def get_token_mask(tokens: torch.Tensor, vocab_size: int) -> torch.Tensor:
    bin_counts = torch.zeros(
        (tokens.shape[0], vocab_size + 1), dtype=torch.long, device=tokens.device
    )
    bin_counts.scatter_add_(1, tokens, torch.ones_like(tokens))
    return bin_counts[:, :vocab_size] > 0


def penalize(logits: torch.Tensor, tokens: torch.Tensor, penalty: float) -> torch.Tensor:
    mask = get_token_mask(tokens, logits.shape[-1])
    penalties = torch.ones_like(logits).masked_fill(mask, penalty)
    scaling = torch.where(logits > 0, 1.0 / penalties, penalties)
    return logits * scaling


def keep_top_k(logits: torch.Tensor, k: int) -> torch.Tensor:
    logits_sort, logits_idx = logits.sort(dim=-1, descending=False)
    top_k_index = logits_sort.size(1) - k
    threshold = logits_sort[:, top_k_index].unsqueeze(dim=1)
    top_k_mask = logits_sort < threshold
    logits_sort = logits_sort.masked_fill(top_k_mask, -float("inf"))
    return logits_sort.scatter(dim=-1, index=logits_idx, src=logits_sort)


def keep_top_p(logits: torch.Tensor, p: float) -> torch.Tensor:
    logits_sort, logits_idx = logits.sort(dim=-1, descending=False)
    probs_sort = logits_sort.softmax(dim=-1)
    probs_sum = torch.cumsum(probs_sort, dim=-1)
    top_p_mask = probs_sum <= 1 - p
    top_p_mask[:, -1] = False
    logits_sort = logits_sort.masked_fill(top_p_mask, -float("inf"))
    return logits_sort.scatter(dim=-1, index=logits_idx, src=logits_sort)


def keep_min_p(logits: torch.Tensor, min_p: float) -> torch.Tensor:
    probability_values = torch.nn.functional.softmax(logits, dim=-1)
    max_probabilities = torch.amax(probability_values, dim=-1, keepdim=True)
    adjusted_min_p = max_probabilities * min_p
    valid_token_mask = probability_values >= adjusted_min_p
    return logits.masked_fill(~valid_token_mask, -float("inf"))


class Sampler:
    def __init__(self, metadata: SamplingMetadata) -> None:
        self.metadata = metadata

    def forward(self, logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        logits = penalize(logits, tokens, self.metadata.repetition_penalty)
        logits = self.apply_temperature(logits)
        if self.metadata.top_k > 0:
            logits = keep_top_k(logits, self.metadata.top_k)
        logits = keep_top_p(logits, self.metadata.top_p)
        logits = keep_min_p(logits, self.metadata.min_p)
        return logits.softmax(dim=-1)

    def apply_temperature(self, logits: torch.Tensor) -> torch.Tensor:
        return logits.div(self.metadata.temperature)


def next_token_probs(
    logits: torch.Tensor,
    tokens: torch.Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    repetition_penalty: float = 1.0,
) -> torch.Tensor:
    metadata = SamplingMetadata(temperature, top_k, top_p, min_p, repetition_penalty)
    return Sampler(metadata).forward(logits, tokens)


def draw(probs: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    cdf = probs.cumsum(dim=-1)
    above = cdf > u.unsqueeze(-1)
    # The first of them, and the last token where rounding leaves none.
    above[:, -1] = True
    return above.int().argmax(dim=-1)
