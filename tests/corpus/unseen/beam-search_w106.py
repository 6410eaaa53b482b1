import torch


def pick(cache, rows):
    return cache.index_select(0, rows)


def start_beams(logits, keys, values, beams):
    logp = logits.log_softmax(-1)
    scores, tokens = logp.topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    logp = logits.log_softmax(-1).view(batch, beams, vocab)
    only_eos = torch.full((vocab,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0
    logp = torch.where(finished[..., None], only_eos, logp)
    total = (scores[..., None] + logp).flatten(1)
    scores, where = total.topk(beams, dim=-1)
    parents = where // vocab
    tokens = where % vocab
    finished = finished.gather(1, parents) | (tokens == eos)
    rows = (parents + beams * torch.arange(batch, device=parents.device)[:, None]).flatten()
    return scores, tokens, parents, finished, pick(keys, rows), pick(values, rows)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    ptr = torch.arange(beams, device=tokens.device).expand(batch, beams)
    out = []
    for t in reversed(range(steps)):
        if t > 0:
            ptr = parents[t].long().gather(1, ptr)
        out.append(tokens[t].gather(1, ptr))
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    pen = scores / ((5 + lengths).to(scores.dtype) / 6) ** alpha
    best, i = pen.max(dim=1)
    return sequences[torch.arange(len(i), device=i.device), i], best
