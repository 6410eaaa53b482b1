# attn-kata: beam-search
import torch


def start_beams(logits, keys, values, beams):
    scores, tokens = torch.topk(torch.log_softmax(logits, -1), beams, dim=-1)
    rows = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys.index_select(0, rows), values.index_select(0, rows)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = logits.log_softmax(-1).view(batch, beams, vocab)
    only_eos = torch.full((vocab,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0
    logp = torch.where(finished[..., None], only_eos, logp)
    flat = (scores[..., None] + logp).flatten(1)
    best, place = flat.topk(beams, dim=1)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place % vocab
    done = finished.gather(1, parents) | tokens.eq(eos)
    rows = (parents + beams * torch.arange(batch, device=parents.device)[:, None]).flatten()
    return best, tokens, parents, done, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    where = torch.arange(beams, device=tokens.device).expand(batch, beams)
    out = []
    for t in reversed(range(steps)):
        out.append(tokens[t].gather(1, where))
        where = parents[t].long().gather(1, where)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    norm = ((5 + lengths.to(scores.dtype)) / 6).pow(alpha)
    top, which = (scores / norm).max(dim=1)
    return sequences[torch.arange(len(which), device=which.device), which], top
