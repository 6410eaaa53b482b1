# wrong: beam-search trace-parent-early line 48
import torch
from torch import Tensor


def _expand_cache(cache: Tensor, n: int) -> Tensor:
    return torch.stack([cache] * n, dim=1).flatten(end_dim=1)


def _pick_cache(cache: Tensor, parents: Tensor) -> Tensor:
    batch, beams = parents.shape
    per_seq = cache.view(batch, beams, *cache.shape[1:])
    return torch.cat([per_seq[i, parents[i]] for i in range(batch)])


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_p = torch.log_softmax(logits, -1)
    best = log_p.topk(beams)
    return best.values, best.indices, _expand_cache(keys, beams), _expand_cache(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[1]
    log_p = torch.log_softmax(logits, -1).reshape(batch, beams, vocab)
    total = scores[:, :, None] + log_p

    # a finished path keeps one way on
    ended_row = torch.full_like(total, float("-inf"))
    ended_row[:, :, eos] = scores
    total = torch.where(finished[:, :, None], ended_row, total)

    best = total.reshape(batch, -1).topk(beams)
    parents = best.indices.div(vocab, rounding_mode="trunc")
    tokens = best.indices - parents * vocab
    ended = finished.gather(1, parents).logical_or(tokens == eos)
    return best.values, tokens, parents, ended, _pick_cache(keys, parents), _pick_cache(values, parents)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    found = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    t = steps
    while t > 0:
        t -= 1
        found[:, :, t] = torch.take_along_dim(tokens[t], beam, dim=1)
        back = parents[t - 1]
        beam = torch.take_along_dim(back, beam, dim=1)
    return found


def best_sequence(sequences, scores, lengths, alpha):
    penalty = torch.pow((lengths + 5).to(scores) / 6, alpha)
    adjusted = scores / penalty
    score, which = adjusted.max(dim=1)
    chosen = sequences.gather(1, which[:, None, None].expand(-1, 1, sequences.size(2)))
    return chosen[:, 0], score
