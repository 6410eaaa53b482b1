# wrong: beam-search beam-cache-overwritten line 31
# fair: beam-cache-overwritten 31, 32
import torch


def start_beams(logits, keys, values, beams):
    scores, tokens = torch.log_softmax(logits, -1).topk(beams)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]

    logp = torch.log_softmax(logits, -1).reshape(batch, beams, vocab)
    keep = torch.full_like(logp, -torch.inf)
    keep[..., eos] = 0
    logp = torch.where(finished[..., None], keep, logp)

    scores, flat = (scores[..., None] + logp).reshape(batch, -1).topk(beams)
    parents = flat // vocab
    tokens = flat % vocab
    finished = finished.gather(1, parents) | (tokens == eos)

    # the caches handed in must stay as they are, so work on copies
    keys = keys.clone()
    values = values.clone()
    for b in range(batch):
        for k in range(beams):
            dst, src = b * beams + k, b * beams + int(parents[b, k])
            keys[dst] = keys[src]
            values[dst] = values[src]
    return scores, tokens, parents, finished, keys, values


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    pos = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    seq = [tokens[-1].gather(1, pos)]
    for s in range(steps - 1, 0, -1):
        pos = parents[s].long().gather(1, pos)
        seq.insert(0, tokens[s - 1].gather(1, pos))
    return torch.stack(seq, -1)


def best_sequence(sequences, scores, lengths, alpha):
    pen = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    i = pen.argmax(-1)
    n = torch.arange(len(pen), device=pen.device)
    return sequences[n, i], pen[n, i]
