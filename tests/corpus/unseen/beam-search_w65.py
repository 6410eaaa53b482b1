"""Beam search for the translation unit (year 12 project)."""
import torch
from torch import Tensor, gather, topk


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_probs = torch.log_softmax(logits, dim=-1)
    scores, tokens = topk(log_probs, beams, dim=-1)

    def for_each_beam(cache: Tensor) -> Tensor:
        n, *rest = cache.shape
        return cache.unsqueeze(1).expand(n, beams, *rest).reshape(n * beams, *rest)

    return scores, tokens, for_each_beam(keys), for_each_beam(values)


def beam_step(scores, logits, keys, values, finished, eos):
    samples, beams = scores.shape
    vocab = logits.shape[-1]

    # 1. a finished beam: probability one for eos
    over = finished.reshape(samples * beams)
    logits[over, :] = float("-inf")
    logits[over, eos] = 0.0

    # 2. all candidates of a sample in one row
    log_probs = torch.log_softmax(logits, dim=-1)
    candidates = scores.reshape(samples * beams, 1) + log_probs
    candidates = candidates.reshape(samples, beams * vocab)

    # 3. the best ones, and where they come from
    new_scores, places = topk(candidates, beams, dim=-1)
    parents = torch.div(places, vocab, rounding_mode="trunc")
    tokens = places - vocab * parents
    new_finished = gather(finished, 1, parents) | (tokens == eos)

    # 4. caches follow their parents
    first_row = beams * torch.arange(samples, device=scores.device).unsqueeze(-1)
    rows = (first_row + parents).flatten()
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, samples, beams = tokens.shape
    history = tokens[0].unsqueeze(-1)
    # forwards: at each step take over the parents' history and add one token
    for step in range(1, steps):
        index = parents[step].long().unsqueeze(-1).expand(samples, beams, history.shape[-1])
        history = gather(history, 1, index)
        history = torch.cat([history, tokens[step].unsqueeze(-1)], dim=-1)
    return history


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths.double()) / 6) ** alpha
    penalized = scores / penalty
    value, winner = torch.max(penalized, dim=-1)
    index = winner.reshape(-1, 1, 1).expand(-1, 1, sequences.shape[-1])
    return gather(sequences, 1, index).squeeze(1), value
