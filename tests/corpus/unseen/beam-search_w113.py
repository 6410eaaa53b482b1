import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    scores, tokens = F.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    return (
        scores,
        tokens,
        keys.repeat_interleave(beams, dim=0),
        values.repeat_interleave(beams, dim=0),
    )


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[-1]
    logp = F.log_softmax(logits, dim=-1).view(B, K, V)

    # a finished beam can only go on with eos, for free
    only_eos = torch.full((V,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0
    logp = torch.where(finished.unsqueeze(-1), only_eos, logp)

    total = (scores.unsqueeze(-1) + logp).view(B, K * V)
    scores, flat = total.topk(K, dim=-1)
    parents = flat // V
    tokens = flat % V

    rows = (torch.arange(B, device=parents.device).unsqueeze(1) * K + parents).view(-1)
    finished = finished.gather(1, parents) | (tokens == eos)
    return scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, B, K = tokens.shape
    where = torch.arange(K, device=tokens.device).expand(B, K)
    out = []
    for t in reversed(range(steps)):
        out.append(tokens[t].gather(1, where))
        where = parents[t].long().gather(1, where)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best = (scores / penalty).argmax(dim=-1)
    rows = torch.arange(len(best), device=best.device)
    return sequences[rows, best], scores[rows, best]
