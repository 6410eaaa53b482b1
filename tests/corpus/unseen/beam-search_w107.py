from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    """One row per sample in, `beams` rows per sample out."""
    log_probs = torch.log_softmax(logits, dim=1)
    order = torch.argsort(log_probs, dim=1, descending=True)[:, :beams]

    def widen(cache: Tensor) -> Tensor:
        shape = (cache.shape[0], beams, *cache.shape[1:])
        return cache.unsqueeze(1).expand(shape).reshape(-1, *cache.shape[1:])

    return log_probs.gather(1, order), order, widen(keys), widen(values)


def candidate_scores(scores: Tensor, log_probs: Tensor, finished: Tensor, eos: int) -> Tensor:
    frozen = torch.full_like(log_probs, NEG_INF)
    frozen[:, :, eos] = scores
    step = torch.where(finished.unsqueeze(2), frozen, log_probs)
    return scores.unsqueeze(2) + step


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    log_probs = torch.log_softmax(logits, dim=-1).reshape(batch, beams, -1)
    vocab = log_probs.shape[2]

    candidates = candidate_scores(scores, log_probs, finished, eos).reshape(batch, beams * vocab)
    new_scores, flat = torch.topk(candidates, k=beams, dim=1, sorted=True)
    parents = torch.div(flat, vocab, rounding_mode="floor")
    tokens = flat - parents * vocab

    samples = torch.arange(batch, device=flat.device)[:, None]
    done = finished[samples, parents] | tokens.eq(eos)

    def follow(cache: Tensor) -> Tensor:
        grouped = cache.reshape(batch, beams, *cache.shape[1:])
        return grouped[samples, parents].reshape(cache.shape)

    return new_scores, tokens, parents, done, follow(keys), follow(values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            at = k
            for s in range(steps - 1, -1, -1):
                out[b, k, s] = tokens[s, b, at]
                at = int(parents[s, b, at]) if s else at
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = torch.pow((lengths.to(scores.dtype) + 5) / 6, alpha)
    penalized = scores / penalty
    winner = penalized.argmax(dim=1, keepdim=True)
    chosen = sequences.gather(1, winner.unsqueeze(-1).expand(-1, 1, sequences.shape[2]))
    return chosen.squeeze(1), penalized.gather(1, winner).squeeze(1)
