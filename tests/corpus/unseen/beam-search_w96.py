from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def start_beams(logits, keys, values, beams):
    lp = F.log_softmax(logits, dim=-1)
    top = torch.topk(lp, beams)

    def spread(c):
        return c[:, None].expand(-1, beams, -1, -1, -1).flatten(0, 1)

    return top.values, top.indices, spread(keys), spread(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(1)
    lp = F.log_softmax(logits, dim=-1).unflatten(0, (batch, beams))
    frozen = torch.full((vocab,), -torch.inf, dtype=lp.dtype, device=lp.device)
    frozen[eos] = 0
    lp = torch.where(finished[..., None], frozen, lp)
    candidates = (scores[..., None] + lp).flatten(1)
    scores, place = candidates.topk(beams)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place.remainder(vocab)
    finished = finished.gather(1, parents).logical_or(tokens.eq(eos))

    def pick(c):
        c = c.unflatten(0, (batch, beams))
        ix = parents[:, :, None, None, None].expand(-1, -1, *c.shape[2:])
        return c.gather(1, ix).flatten(0, 1)

    return scores, tokens, parents, finished, pick(keys), pick(values)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    result = tokens.new_empty(batch, beams, steps)
    for step in range(steps - 1, -1, -1):
        result[:, :, step] = tokens[step].gather(1, beam)
        beam = parents[step].long()
    return result


def best_sequence(sequences, scores, lengths, alpha):
    penalty = torch.pow((lengths + 5).to(scores.dtype) / 6, alpha)
    penalized = scores / penalty
    winner = penalized.argmax(1, keepdim=True)
    chosen = sequences.gather(1, winner[:, :, None].expand(-1, -1, sequences.size(2)))
    return chosen.squeeze(1), penalized.gather(1, winner).squeeze(1)
