import torch


def reorder(cache, rows):
    return cache.index_select(0, rows)


def start_beams(logits, keys, values, beams):
    logp = torch.log_softmax(logits, -1)
    scores, tokens = torch.topk(logp, beams, dim=-1)
    rows = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return scores, tokens, reorder(keys, rows), reorder(values, rows)


def beam_step(scores, logits, keys, values, finished, eos):
    b, k = scores.shape
    v = logits.shape[1]
    logp = torch.log_softmax(logits, -1).reshape(b, k, v)
    is_eos = torch.arange(v, device=logits.device) == eos
    frozen = torch.zeros_like(logp).masked_fill(~is_eos, float("-inf"))
    logp = torch.where(finished.unsqueeze(-1), frozen, logp)

    total = (scores.unsqueeze(-1) + logp).reshape(b, k * v)
    scores, best = torch.topk(total, k, dim=-1)
    parents = best / v
    tokens = best % v
    finished = torch.gather(finished, 1, parents) | (tokens == eos)

    offset = torch.arange(b, device=logits.device).unsqueeze(1) * k
    rows = (offset + parents).reshape(-1)
    return scores, tokens, parents, finished, reorder(keys, rows), reorder(values, rows)


def trace_back(tokens, parents):
    n = tokens.shape[0]
    result = torch.empty(tokens.shape[1], tokens.shape[2], n, dtype=tokens.dtype, device=tokens.device)
    result[..., -1] = tokens[-1]
    pointer = parents[-1].long()
    for t in range(n - 2, -1, -1):
        result[..., t] = torch.gather(tokens[t], 1, pointer)
        if t > 0:
            pointer = torch.gather(parents[t].long(), 1, pointer)
    return result


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5.0 + lengths.to(scores.dtype)) / 6.0).pow(alpha)
    final = scores / penalty
    winner = final.argmax(dim=1, keepdim=True)
    seq = torch.gather(sequences, 1, winner.unsqueeze(-1).expand(-1, -1, sequences.shape[-1]))
    return seq.squeeze(1), final.gather(1, winner).squeeze(1)
