import torch


def start_beams(logits, keys, values, beams):
    logp = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logp, beams, dim=-1)
    keys = keys.repeat_interleave(beams, dim=0)
    values = values.repeat_interleave(beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=-1).view(batch, beams, vocab)
    only_eos = torch.full_like(logp, float("-inf"))
    only_eos[..., eos] = 0
    logp = torch.where(finished[..., None], only_eos, logp)
    total = (scores[..., None] + logp).view(batch, beams * vocab)
    new_scores, idx = total.topk(beams, dim=-1)
    parents = idx // vocab
    tokens = idx % vocab
    new_finished = finished.gather(1, parents) | (tokens == eos)
    return new_scores, tokens, parents, new_finished, keys, values


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    out = []
    cur = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for t in reversed(range(steps)):
        out.append(tokens[t].gather(1, cur))
        cur = parents[t].long().gather(1, cur)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths) / 6) ** alpha
    final = scores / penalty
    val, i = final.max(dim=-1)
    return sequences[torch.arange(sequences.shape[0]), i], val
