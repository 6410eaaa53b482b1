# wrong: beam-search finished-fill-small line 25
# fair: finished-fill-small 14, 25, 26
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class BeamConfig:
    num_beams: int
    vocab_size: int
    eos_token_id: int
    mask_value: float = -1e3


class FinishedBeams(nn.Module):
    """Lets a finished beam go on with the end token alone."""

    def __init__(self, config: BeamConfig):
        super().__init__()
        self.config = config

    def forward(self, log_probs, finished):
        forced = torch.full_like(log_probs, self.config.mask_value)
        forced[..., self.config.eos_token_id] = 0.0
        return torch.where(finished[..., None], forced, log_probs)


def start_beams(logits, keys, values, beams):
    scores, tokens = nn.functional.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    return scores, tokens, *(cache.repeat_interleave(beams, dim=0) for cache in (keys, values))


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    config = BeamConfig(num_beams=num_beams, vocab_size=logits.shape[-1], eos_token_id=eos)
    log_probs = nn.functional.log_softmax(logits, dim=-1)
    log_probs = log_probs.reshape(batch_size, config.num_beams, config.vocab_size)
    log_probs = FinishedBeams(config)(log_probs, finished)

    accumulated = (scores[..., None] + log_probs).flatten(1)
    scores, topk_indices = accumulated.topk(config.num_beams, dim=-1)
    beam_indices = topk_indices // config.vocab_size
    tokens = topk_indices % config.vocab_size
    finished = finished.gather(1, beam_indices) | (tokens == eos)

    flat = beam_indices + num_beams * torch.arange(batch_size, device=scores.device)[:, None]
    flat = flat.flatten()
    return scores, tokens, beam_indices, finished, keys.index_select(0, flat), values.index_select(0, flat)


def trace_back(tokens, parents):
    num_steps, batch_size, num_beams = tokens.shape
    beam = torch.arange(num_beams, device=tokens.device).expand(batch_size, -1)
    steps = [tokens[-1]]
    for step in range(num_steps - 1, 0, -1):
        beam = parents[step].long().gather(1, beam)
        steps.append(tokens[step - 1].gather(1, beam))
    return torch.stack(steps, dim=-1).flip(-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best = (scores / penalty).max(dim=-1)
    return sequences[torch.arange(scores.shape[0], device=scores.device), best.indices], best.values
