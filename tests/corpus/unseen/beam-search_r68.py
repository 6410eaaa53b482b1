"""Flax-style helpers (flatten_beam_dim / unflatten_beam_dim / gather_beams), ported to torch."""
import torch
import torch.nn.functional as F

NEG_INF = float("-inf")


def flatten_beam_dim(x):
    return x.flatten(0, 1)


def unflatten_beam_dim(x, batch, beams):
    return x.unflatten(0, (batch, beams))


def add_beam_dim(x, beams):
    return x.unsqueeze(1).expand(-1, beams, *x.shape[1:])


def gather_beams(tree, indices):
    """tree: tensors [batch, old_beams, ...] -> [batch, new_beams, ...]"""
    return [torch.take_along_dim(x, indices.view(*indices.shape, *[1] * (x.dim() - 2)), dim=1) for x in tree]


def start_beams(logits, keys, values, beams):
    logp = F.log_softmax(logits, -1)
    scores, tokens = torch.topk(logp, beams, dim=-1)
    keys, values = (flatten_beam_dim(add_beam_dim(c, beams)) for c in (keys, values))
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = unflatten_beam_dim(F.log_softmax(logits, -1), batch, beams)

    is_eos = F.one_hot(torch.tensor(eos, device=logits.device), vocab).bool()
    only_eos = torch.where(is_eos, 0.0, NEG_INF).to(logp.dtype)
    logp = torch.where(finished.unsqueeze(-1), only_eos, logp)

    cand = (scores.unsqueeze(-1) + logp).flatten(1)
    new_scores, where = cand.topk(beams, dim=1, largest=True, sorted=True)
    parents = torch.div(where, vocab, rounding_mode="floor")
    tokens = torch.remainder(where, vocab)

    caches = [unflatten_beam_dim(c, batch, beams) for c in (keys, values)]
    was_finished, *caches = gather_beams([finished, *caches], parents)
    keys, values = map(flatten_beam_dim, caches)
    return new_scores, tokens, parents, torch.logical_or(was_finished, tokens.eq(eos)), keys, values


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    carry = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    ys = []
    for tok, par in zip(tokens.flip(0), parents.flip(0).long()):
        ys.append(torch.take_along_dim(tok, carry, dim=1))
        carry = torch.take_along_dim(par, carry, dim=1)
    return torch.stack(ys, dim=-1).flip(-1)


def best_sequence(sequences, scores, lengths, alpha):
    brevity = torch.pow((5.0 + lengths.to(scores.dtype)) / 6.0, alpha)
    normalized = scores / brevity
    best = normalized.argmax(-1, keepdim=True)
    seq = torch.take_along_dim(sequences, best.unsqueeze(-1), dim=1).squeeze(1)
    return seq, torch.take_along_dim(normalized, best, dim=1).squeeze(1)
