from __future__ import annotations

import torch
from torch import Tensor


class _Cache:
    """Keys and values, row b * beams + k belongs to beam k of sample b."""

    def __init__(self, keys: Tensor, values: Tensor) -> None:
        self.keys = keys
        self.values = values

    def pick(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        return self.keys[rows], self.values[rows]


def _length_penalty(length: Tensor, alpha: float) -> Tensor:
    # Wu et al. 2016, GNMT
    return (5.0 + length) / 6.0 ** alpha


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    batch = logits.shape[0]
    best = logits.log_softmax(-1).topk(beams)
    rows = torch.arange(batch, device=logits.device)[:, None].expand(batch, beams).reshape(-1)
    return (best.values, best.indices, *_Cache(keys, values).pick(rows))


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    candidates = logits.log_softmax(-1).reshape(batch, beams, vocab) + scores[..., None]
    candidates = candidates.masked_fill(finished[..., None], float("-inf"))
    candidates[..., eos] = torch.where(finished, scores, candidates[..., eos])

    best, flat = candidates.flatten(1).topk(beams)
    parents = torch.div(flat, vocab, rounding_mode="floor")
    tokens = flat - parents * vocab

    offset = torch.arange(0, batch * beams, beams, device=flat.device)
    k, v = _Cache(keys, values).pick((offset[:, None] + parents).flatten())
    done = torch.gather(finished, 1, parents) | tokens.eq(eos)
    return best, tokens, parents, done, k, v


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    result = tokens.new_empty(batch, beams, steps)
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    for step in reversed(range(steps)):
        result[:, :, step] = tokens[step].gather(1, at)
        if step:
            at = parents[step].to(torch.int64).gather(1, at)
    return result


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / _length_penalty(lengths.to(scores), alpha)
    index = penalized.argmax(dim=1, keepdim=True)
    chosen = sequences.take_along_dim(index[..., None], dim=1)[:, 0]
    return chosen, penalized.gather(1, index)[:, 0]
