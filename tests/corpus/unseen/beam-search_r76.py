import heapq
from functools import partial
from operator import itemgetter

import torch


def start_beams(logits, keys, values, beams):
    logp = torch.log_softmax(logits, -1)
    order = logp.argsort(dim=-1, descending=True)[:, :beams]
    copies = torch.arange(len(logits), device=keys.device).repeat_interleave(beams)
    return logp.gather(-1, order), order, keys[copies], values[copies]


def options(beam, score, logp, done, eos, *, most):
    """The candidates of one beam that can be among the best, as (score, beam, token)."""
    if done:
        yield score, beam, eos
        return
    top = logp.topk(min(most, logp.numel()))
    for cost, token in zip(top.values.tolist(), top.indices.tolist()):
        yield score + cost, beam, token


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = logits.double().log_softmax(-1).view(batch, beams, -1)
    keep = []
    for sample in range(batch):
        expand = partial(options, eos=eos, most=beams)
        rows = zip(range(beams), scores[sample].tolist(), logp[sample], finished[sample].tolist())
        candidates = [c for row in rows for c in expand(*row)]
        keep.append(heapq.nlargest(beams, candidates, key=itemgetter(0)))

    def column(i, dtype):
        return torch.tensor([[c[i] for c in row] for row in keep], dtype=dtype, device=scores.device)

    best, parents, tokens = column(0, scores.dtype), column(1, torch.long), column(2, torch.long)
    was_done = torch.gather(finished.bool(), 1, parents)
    taken = [b * beams + p for b, row in enumerate(parents.tolist()) for p in row]
    return best, tokens, parents, was_done | tokens.eq(eos), keys[taken], values[taken]


def backwards(tokens, parents):
    beam = torch.arange(tokens.shape[-1], device=tokens.device).repeat(tokens.shape[1], 1)
    for token, parent in zip(tokens.flip(0), parents.flip(0)):
        yield token.gather(-1, beam)
        # at the first step this reads parents[0] as well, but what it gives is never used
        beam = parent.long().gather(-1, beam)


def trace_back(tokens, parents):
    parents = torch.cat([torch.zeros_like(parents[:1]), parents[1:]])
    return torch.stack(list(backwards(tokens, parents))[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    divisor = ((lengths + 5).to(scores.dtype) / 6).pow(alpha)
    penalized = scores / divisor
    winner = penalized.argmax(dim=-1, keepdim=True)
    chosen = sequences.take_along_dim(winner[..., None], dim=1).squeeze(1)
    return chosen, penalized.gather(-1, winner).squeeze(-1)
