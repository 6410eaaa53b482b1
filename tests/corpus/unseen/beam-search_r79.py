# Beam search: the four steps around the model.

import torch


def start_beams(logits, keys, values, beams):
    log_probs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(log_probs, beams, dim=-1)
    # each beam gets the cache of its sample
    keys = torch.repeat_interleave(keys, beams, dim=0)
    values = torch.repeat_interleave(values, beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]

    # log-probabilities of the next token: (batch, beams, vocab)
    log_probs = torch.log_softmax(logits, dim=-1).view(batch, beams, vocab)
    log_probs = log_probs.clone()
    # a finished beam goes on with eos, at no cost
    log_probs[finished] = float("-inf")
    log_probs[..., eos] = log_probs[..., eos].masked_fill(finished, 0.0)

    # all candidates of a sample in one row
    total = scores.unsqueeze(-1) + log_probs
    new_scores, index = torch.topk(total.view(batch, beams * vocab), beams, dim=-1)
    parents = torch.div(index, vocab, rounding_mode="floor")
    tokens = index.remainder(vocab)

    # finished before, or finished now
    new_finished = torch.gather(finished, 1, parents) | tokens.eq(eos)

    # rows of the parents in the cache
    offset = torch.arange(batch, device=scores.device).unsqueeze(1) * beams
    rows = (parents + offset).reshape(-1)
    return new_scores, tokens, parents, new_finished, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    out = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            # from the last step to the first
            beam = k
            for s in range(steps - 1, -1, -1):
                out[b, k, s] = tokens[s, b, beam]
                beam = int(parents[s, b, beam])
    return out


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    penalized = scores / penalty
    best = penalized.argmax(dim=-1)
    rows = torch.arange(scores.shape[0], device=scores.device)
    return sequences[rows, best], penalized[rows, best]
