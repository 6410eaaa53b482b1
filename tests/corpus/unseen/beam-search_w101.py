from __future__ import annotations

import torch
from torch import Tensor


class BeamSearcher:
    """Stateless helper; all methods are static on purpose."""

    @staticmethod
    def initialise(logits: Tensor, beams: int) -> tuple[Tensor, Tensor]:
        return torch.topk(torch.log_softmax(logits, dim=-1), k=beams, dim=-1)

    @staticmethod
    def expand_cache(cache: Tensor, beams: int) -> Tensor:
        batch = cache.shape[0]
        return cache.unsqueeze(1).expand(batch, beams, *cache.shape[1:]).reshape(batch * beams, *cache.shape[1:])

    @staticmethod
    def candidates(scores: Tensor, log_probs: Tensor, finished: Tensor, eos: int) -> Tensor:
        table = log_probs.clone()
        table[finished] = float("-inf")
        table[..., eos] = torch.where(finished, scores, table[..., eos])
        return scores.unsqueeze(-1) + table

    @staticmethod
    def reorder(cache: Tensor, parents: Tensor) -> Tensor:
        batch, beams = parents.shape
        shaped = cache.view(batch, beams, *cache.shape[1:])
        picked = shaped[torch.arange(batch, device=cache.device).unsqueeze(1), parents]
        return picked.reshape(cache.shape)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = BeamSearcher.initialise(logits, beams)
    return scores, tokens, BeamSearcher.expand_cache(keys, beams), BeamSearcher.expand_cache(values, beams)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    log_probs = torch.log_softmax(logits, dim=-1).reshape(batch, beams, vocab)
    table = BeamSearcher.candidates(scores, log_probs, finished, eos)
    new_scores, flat = torch.topk(table.reshape(batch, beams * vocab), k=beams, dim=-1)
    parents = flat // vocab
    tokens = flat % vocab
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    return (
        new_scores,
        tokens,
        parents,
        new_finished,
        BeamSearcher.reorder(keys, parents),
        BeamSearcher.reorder(values, parents),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps = tokens.shape[0]
    pointer = torch.arange(tokens.shape[2], device=tokens.device).expand(tokens.shape[1:])
    columns = [torch.gather(tokens[-1], 1, pointer)]
    for step in range(steps - 1, 0, -1):
        pointer = torch.gather(parents[step].long(), 1, pointer)
        columns.insert(0, torch.gather(tokens[step - 1], 1, pointer))
    return torch.stack(columns, dim=2)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalised = scores / ((lengths + 5) / 6) ** alpha
    value, index = penalised.max(dim=-1)
    return sequences[torch.arange(sequences.shape[0], device=index.device), index], value
