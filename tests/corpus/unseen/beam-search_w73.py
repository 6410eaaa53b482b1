import torch


def start_beams(logits, keys, values, beams):
    scores, tokens = logits.log_softmax(-1).sort(-1, descending=True)
    scores, tokens = scores[:, :beams].clone(), tokens[:, :beams].clone()
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    n, w = scores.shape
    total = scores.unsqueeze(-1) + logits.unflatten(0, (n, w)).log_softmax(-1)
    total[finished] = float("-inf")
    total[finished, eos] = 0.0
    vocab = total.shape[-1]
    scores, where = total.flatten(1).topk(w)
    parents, tokens = where // vocab, where % vocab
    sample = torch.arange(n, device=where.device).unsqueeze(-1)
    finished = finished[sample, parents] | (tokens == eos)
    keys = keys.unflatten(0, (n, w))[sample, parents].flatten(0, 1)
    values = values.unflatten(0, (n, w))[sample, parents].flatten(0, 1)
    return scores, tokens, parents, finished, keys, values


def trace_back(tokens, parents):
    sequences = tokens[0].unsqueeze(-1)
    sample = torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(-1)
    for token, parent in zip(tokens[1:], parents[1:]):
        sequences = torch.cat((sequences[sample, parent.long()], token.unsqueeze(-1)), -1)
    return sequences


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores * ((5 + lengths) / 6).to(scores) ** -alpha
    index = penalized.argmax(-1)
    sample = torch.arange(len(index), device=index.device)
    return sequences[sample, index], penalized[sample, index]
