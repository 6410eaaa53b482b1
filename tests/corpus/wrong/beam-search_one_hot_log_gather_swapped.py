# wrong: beam-search trace-gather-swapped line 30
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    scores, tokens = F.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, dim=0), values.repeat_interleave(beams, dim=0)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[-1]
    lp = F.log_softmax(logits, dim=-1).unflatten(0, (B, K))
    e = F.one_hot(torch.tensor(eos, device=lp.device), V).to(lp.dtype).log()  # 0 at eos, -inf elsewhere
    lp = lp.where(~finished[:, :, None], e)
    scores, at = (scores[:, :, None] + lp).flatten(1).topk(K)
    parents, tokens = torch.unravel_index(at, (K, V))
    finished = finished.gather(1, parents) | (tokens == eos)
    b = torch.arange(B, device=lp.device)[:, None]
    pick = lambda c: c.unflatten(0, (B, K))[b, parents].flatten(0, 1)
    return scores, tokens, parents, finished, pick(keys), pick(values)


def trace_back(tokens, parents):
    T, B, K = tokens.shape
    idx = torch.arange(K, device=tokens.device).repeat(B, 1)
    out = [tokens[T - 1].gather(1, idx)]
    for t in range(T - 1, 0, -1):
        idx = idx.gather(1, parents[t].long())
        out.append(tokens[t - 1].gather(1, idx))
    return torch.stack(out, dim=-1).flip(dims=(-1,))


def best_sequence(sequences, scores, lengths, alpha):
    p = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    v, i = p.max(-1)
    return sequences[torch.arange(len(i), device=i.device), i], v
