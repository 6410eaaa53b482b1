import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    logp = F.log_softmax(logits, dim=-1)
    scores, tokens = logp.topk(beams, dim=-1)
    return (
        scores,
        tokens,
        keys.repeat_interleave(beams, dim=0),
        values.repeat_interleave(beams, dim=0),
    )


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.size(-1)
    logp = F.log_softmax(logits, dim=-1).view(B, K, V)

    only_eos = torch.full((V,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0.0
    logp = torch.where(finished.unsqueeze(-1), only_eos, logp)

    total = (scores.unsqueeze(-1) + logp).view(B, K * V)
    new_scores, idx = total.topk(K, dim=-1)
    parents = idx // V
    tokens = idx % V

    rows = (parents + torch.arange(B, device=parents.device).unsqueeze(1) * K).view(-1)
    keys = keys.index_select(0, rows)
    values = values.index_select(0, rows)
    finished = finished | (tokens == eos)
    return new_scores, tokens, parents, finished, keys, values


def trace_back(tokens, parents):
    steps, B, K = tokens.shape
    ptr = torch.arange(K, device=tokens.device).expand(B, K)
    out = []
    for t in range(steps - 1, -1, -1):
        out.append(tokens[t].gather(1, ptr))
        ptr = parents[t].long().gather(1, ptr) if t > 0 else ptr
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    pen = scores / lp
    best, i = pen.max(dim=1)
    return sequences[torch.arange(sequences.size(0), device=i.device), i], best
