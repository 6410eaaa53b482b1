# attn-kata: beam-search
import torch
import torch.nn.functional as F


def _fan_out(cache, beams):
    """(batch, ...) -> (batch * beams, ...), a sample's copies side by side"""
    return cache[:, None].expand(-1, beams, *cache.shape[1:]).flatten(0, 1)


def _follow(cache, parents):
    batch, beams = parents.shape
    per_sample = cache.unflatten(0, (batch, beams))
    sample = torch.arange(batch, device=parents.device)[:, None]
    return per_sample[sample, parents].flatten(0, 1)


def start_beams(logits, keys, values, beams):
    top = F.log_softmax(logits, -1).topk(beams, -1)
    return top.values, top.indices, _fan_out(keys, beams), _fan_out(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    only_eos = torch.full((vocab,), -torch.inf, dtype=logits.dtype, device=logits.device)
    only_eos[eos] = 0
    step = torch.where(finished[..., None], only_eos, logits.log_softmax(-1).view(batch, beams, vocab))
    # the best `beams` of every beam are enough to hold the best `beams` of all
    width = min(beams, vocab)
    each, token = (scores[..., None] + step).topk(width, -1)
    score, flat = each.flatten(1).topk(beams, -1)
    parent = torch.div(flat, width, rounding_mode="floor")
    token = token.flatten(1).gather(1, flat)
    return score, token, parent, finished.gather(1, parent) | token.eq(eos), _follow(keys, parent), _follow(values, parent)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    columns = []
    for t in reversed(range(steps)):
        columns.insert(0, tokens[t].gather(1, at))
        at = parents[t].long().gather(1, at) if t else at
    return torch.stack(columns, 2)


def best_sequence(sequences, scores, lengths, alpha):
    final = scores * torch.pow((lengths.to(scores) + 5) / 6, -alpha)
    winner = final.argmax(1, keepdim=True)
    return torch.take_along_dim(sequences, winner[..., None], 1).squeeze(1), torch.take_along_dim(final, winner, 1).squeeze(1)
