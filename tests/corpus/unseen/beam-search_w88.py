# attn-kata: beam-search
from __future__ import annotations

import torch
from torch import Tensor


def _reorder(cache: Tensor, parents: Tensor) -> Tensor:
    """fairseq: reorder_incremental_state"""
    return cache.index_select(0, parents.reshape(-1))


def start_beams(logits, keys, values, beams):
    lprobs = torch.log_softmax(logits, dim=-1)
    scores, tokens = lprobs.topk(beams, dim=-1)
    return (
        scores,
        tokens,
        keys.repeat_interleave(beams, dim=0),
        values.repeat_interleave(beams, dim=0),
    )


def beam_step(scores, logits, keys, values, finished, eos):
    bsz, beam_size = scores.shape
    vocab_size = logits.shape[-1]
    lprobs = torch.log_softmax(logits, dim=-1).view(bsz, beam_size, vocab_size)
    lprobs = lprobs.masked_fill(finished.unsqueeze(-1), float("-inf"))
    lprobs[..., eos] = lprobs[..., eos].masked_fill(finished, 0.0)
    candidates = (lprobs + scores.unsqueeze(-1)).view(bsz, -1)
    new_scores, indices = torch.topk(candidates, k=beam_size)
    parents = indices // vocab_size
    tokens = indices.fmod(vocab_size)
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    return new_scores, tokens, parents, new_finished, _reorder(keys, parents), _reorder(values, parents)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    sequences = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for step in range(steps - 1, -1, -1):
        sequences[:, :, step] = tokens[step].gather(1, beam)
        if step:
            beam = parents[step].gather(1, beam)
    return sequences


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths) / 6) ** alpha
    best = penalized.argmax(dim=1)
    rows = torch.arange(len(best), device=best.device)
    return sequences[rows, best], penalized[rows, best]
