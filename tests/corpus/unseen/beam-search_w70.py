from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class BeamState:
    scores: Tensor
    finished: Tensor
    eos_token_id: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.scores.shape

    def candidates(self, logits: Tensor) -> Tensor:
        """(batch, beams * vocab) scores of everything that may come next."""
        batch_size, num_beams = self.shape
        log_probs = torch.log_softmax(logits, dim=-1).view(batch_size, num_beams, -1)
        log_probs = log_probs.masked_fill(self.finished.unsqueeze(-1), -torch.inf)
        eos = log_probs[..., self.eos_token_id].masked_fill(self.finished, 0.0)
        log_probs[..., self.eos_token_id] = eos
        return (log_probs + self.scores.unsqueeze(-1)).flatten(1)

    def row_index(self, parents: Tensor) -> Tensor:
        batch_size, num_beams = self.shape
        offset = torch.arange(batch_size, device=parents.device).unsqueeze(1) * num_beams
        return (parents + offset).flatten()


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = torch.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    keys, values = (cache.repeat_interleave(beams, dim=0) for cache in (keys, values))
    return scores, tokens, keys, values


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    self = BeamState(scores, finished, eos)
    vocab_size = logits.shape[-1]
    next_scores, next_index = self.candidates(logits).topk(scores.shape[1], dim=-1)
    parents = torch.div(next_index, vocab_size, rounding_mode="floor")
    tokens = next_index % vocab_size
    next_finished = finished.gather(1, parents) | (tokens == eos)
    parent_index = parents.flatten()
    return next_scores, tokens, parents, next_finished, keys[parent_index], values[parent_index]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    beam = torch.arange(tokens.shape[2], device=tokens.device).expand(tokens.shape[1], -1)
    columns: list[Tensor] = []
    for step_tokens, step_parents in zip(tokens.flip(0), parents.flip(0)):
        columns.insert(0, step_tokens.gather(1, beam))
        if len(columns) < tokens.shape[0]:
            beam = step_parents.long().gather(1, beam)
    return torch.stack(columns, dim=-1)


def length_penalty(lengths: Tensor, alpha: float, dtype: torch.dtype) -> Tensor:
    return ((5.0 + lengths.to(dtype)) / 6.0) ** alpha


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / length_penalty(lengths, alpha, scores.dtype)
    best, index = penalized.max(dim=1)
    return sequences[torch.arange(len(index), device=index.device), index], best
