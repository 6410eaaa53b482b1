# wrong: beam-search beam-cache-scattered line 30
# fair: beam-cache-scattered 26, 28, 29, 31, 32
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    scores, tokens = F.log_softmax(logits, -1).topk(beams)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = F.log_softmax(logits, -1).view(batch, beams, vocab)
    only_end = torch.full((vocab,), float("-inf"), device=logits.device, dtype=logits.dtype)
    only_end[eos] = 0.0
    logp = torch.where(finished[..., None], only_end, logp)

    scores, flat = (scores[..., None] + logp).flatten(1).topk(beams)
    parents = flat // vocab
    tokens = flat % vocab
    finished = finished.gather(1, parents) | (tokens == eos)

    start = torch.arange(0, batch * beams, beams, device=parents.device)
    rows = (parents + start[:, None]).flatten()
    # Each beam's cache goes where its parent was.
    new_keys = keys.clone()
    new_values = values.clone()
    new_keys[rows] = keys
    new_values[rows] = values
    return scores, tokens, parents, finished, new_keys, new_values


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    out = []
    for step in range(steps - 1, -1, -1):
        out.append(tokens[step].gather(1, beam))
        beam = parents[step].gather(1, beam)
    out.reverse()
    return torch.stack(out, dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    score = scores / ((5 + lengths) / 6).pow(alpha)
    best = score.argmax(dim=1)
    batch = torch.arange(len(best), device=best.device)
    return sequences[batch, best], score[batch, best]
