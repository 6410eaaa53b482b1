import torch
import torch.nn.functional as F


def _rows(parents):
    """(batch, beams) beam numbers -> flat row numbers of the model's batch"""
    B, K = parents.shape
    return (torch.arange(B, device=parents.device).view(B, 1) * K + parents).flatten()


def start_beams(logits, keys, values, beams):
    logp = logits.log_softmax(-1)
    scores, tokens = torch.topk(logp, beams, dim=-1)
    spread = lambda t: torch.repeat_interleave(t, beams, dim=0)
    return scores, tokens, spread(keys), spread(values)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[-1]
    logp = F.log_softmax(logits, -1).unflatten(0, (B, K))
    only_eos = torch.full((V,), -torch.inf, dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0
    logp = torch.where(finished.unsqueeze(-1), only_eos, logp)
    total = (scores.unsqueeze(-1) + logp).flatten(1)
    new_scores, place = total.topk(K, dim=1, sorted=True)
    parents, tokens = place.div(V, rounding_mode="floor"), place.remainder(V)
    done = finished.gather(1, parents).logical_or(tokens.eq(eos))
    at = _rows(parents)
    return new_scores, tokens, parents, done, keys.index_select(0, at), values.index_select(0, at)


def trace_back(tokens, parents):
    steps, B, K = tokens.shape
    here = torch.arange(K, device=tokens.device).expand(B, K)
    found = []
    for t in reversed(range(steps)):
        found.insert(0, tokens[t].gather(1, here))
        here = parents[t].long().gather(1, here) if t else here
    return torch.stack(found, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    pen = scores / ((5 + lengths.to(scores.dtype)) / 6).pow(alpha)
    best = pen.max(dim=1)
    pick = best.indices.view(-1, 1, 1).expand(-1, 1, sequences.size(-1))
    return sequences.gather(1, pick).squeeze(1), best.values
