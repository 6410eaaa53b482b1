import torch
from torch import Tensor


def _rows(parents: Tensor) -> Tensor:
    """Row numbers in the flattened batch of each sample's parents."""
    batch, beams = parents.shape
    first = torch.arange(batch, device=parents.device).unsqueeze(1) * beams
    return (first + parents).flatten()


def start_beams(logits, keys, values, beams):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    gain = logits.log_softmax(dim=-1).view(batch, beams, vocab)

    only_eos = torch.full_like(gain, float("-inf"))
    only_eos[..., eos] = 0
    gain = torch.where(finished.unsqueeze(-1), only_eos, gain)

    total = (scores.unsqueeze(-1) + gain).flatten(1)
    new_scores, index = total.topk(beams, dim=1)
    parents = torch.div(index, vocab, rounding_mode="floor")
    tokens = index.remainder(vocab)
    done = finished.gather(1, parents) | (tokens == eos)
    rows = _rows(parents)
    return new_scores, tokens, parents, done, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    sequences = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for step in range(steps - 1, 0, -1):
        sequences[:, :, step] = tokens[step].gather(1, beam)
        beam = parents[step].long().gather(1, beam)
    return sequences


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths) / 6).to(scores.dtype) ** alpha
    best, where = penalized.max(dim=1)
    return sequences[torch.arange(len(sequences), device=where.device), where], best
