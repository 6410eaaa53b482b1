# wrong: beam-search finished-other-sample line 35
"""Beam search in the layout of generate(): everything flat, row = batch_idx * num_beams + beam."""
from typing import Tuple

import torch
import torch.nn.functional as F


def _expand_for_beams(past: torch.Tensor, num_beams: int) -> torch.Tensor:
    expanded = torch.arange(past.shape[0], device=past.device).view(-1, 1).repeat(1, num_beams).view(-1)
    return past.index_select(0, expanded)


def start_beams(logits, keys, values, beams) -> Tuple[torch.Tensor, ...]:
    log_probs = F.log_softmax(logits, dim=-1)
    beam_scores, next_tokens = torch.topk(log_probs, beams, dim=1)
    return beam_scores, next_tokens, _expand_for_beams(keys, beams), _expand_for_beams(values, beams)


def beam_step(scores, logits, keys, values, finished, eos) -> Tuple[torch.Tensor, ...]:
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[1]
    beam_scores = scores.reshape(batch_size * num_beams, 1)
    is_done = finished.reshape(batch_size * num_beams)

    log_probs = F.log_softmax(logits, dim=-1)
    log_probs[is_done] = float("-inf")
    log_probs[is_done, eos] = 0.0

    total = (log_probs + beam_scores).reshape(batch_size, num_beams * vocab_size)
    next_scores, next_idx = torch.topk(total, num_beams, dim=1)
    next_parents = torch.div(next_idx, vocab_size, rounding_mode="floor")
    next_tokens = next_idx % vocab_size

    next_done = is_done[next_parents] | (next_tokens == eos)

    shift = torch.arange(0, batch_size * num_beams, num_beams, device=scores.device)
    beam_idx = (next_parents + shift[:, None]).reshape(-1)
    return (
        next_scores,
        next_tokens,
        next_parents,
        next_done,
        keys.index_select(0, beam_idx),
        values.index_select(0, beam_idx),
    )


def trace_back(tokens, parents) -> torch.Tensor:
    steps, batch_size, num_beams = tokens.shape
    beam = torch.arange(num_beams, device=tokens.device)[None].repeat(batch_size, 1)
    reversed_tokens = []
    for step in range(steps - 1, -1, -1):
        reversed_tokens.append(torch.gather(tokens[step], 1, beam))
        if step != 0:
            beam = torch.gather(parents[step].long(), 1, beam)
    return torch.stack(reversed_tokens[::-1], dim=2)


def best_sequence(sequences, scores, lengths, alpha) -> Tuple[torch.Tensor, torch.Tensor]:
    length_penalty = torch.pow((5.0 + lengths.to(scores.dtype)) / 6.0, alpha)
    best_score, best_beam = (scores / length_penalty).max(dim=1)
    batch_idx = torch.arange(scores.shape[0], device=scores.device)
    return sequences[batch_idx, best_beam, :], best_score
