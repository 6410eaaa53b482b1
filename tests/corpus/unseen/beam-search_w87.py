import torch
from torch import nn


def start_beams(logits, keys, values, beams):
    logp = nn.functional.log_softmax(logits, dim=1)
    top = logp.topk(beams, dim=1)
    rows = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return top.values, top.indices, keys[rows], values[rows]


def beam_step(scores, logits, keys, values, finished, eos):
    n, k = scores.shape
    v = logits.size(1)
    step = nn.functional.log_softmax(logits, dim=1).reshape(n, k, v)
    frozen = step.new_full((v,), -torch.inf)
    frozen[eos] = 0
    step = torch.where(finished[:, :, None], frozen, step)
    flat = (scores[:, :, None] + step).reshape(n, k * v)
    best, place = torch.topk(flat, k, dim=1)
    parents = place / v
    tokens = place % v
    done = torch.take_along_dim(finished, parents, dim=1) | tokens.eq(eos)
    offset = torch.arange(0, n * k, k, device=place.device)[:, None]
    rows = (offset + parents).view(-1)
    return best, tokens, parents, done, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens, parents):
    steps = tokens.size(0)
    beam = torch.arange(tokens.size(2), device=tokens.device).expand_as(tokens[0])
    cols = []
    for s in range(steps)[::-1]:
        cols.insert(0, tokens[s].gather(1, beam))
        beam = parents[s].long().gather(1, beam) if s else beam
    return torch.stack(cols, dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = torch.pow((5 + lengths.to(scores.dtype)) / 6, alpha)
    best = (scores / penalty).max(dim=1)
    chosen = sequences.gather(1, best.indices[:, None, None].expand(-1, 1, sequences.size(2)))
    return chosen.squeeze(1), best.values
