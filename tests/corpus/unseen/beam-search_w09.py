# attn-kata: beam-search
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    scores, tokens = F.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    keys = keys.repeat_interleave(beams, dim=0)
    values = values.repeat_interleave(beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.size()
    V = logits.size(-1)

    # a row with eos alone: its log-softmax is 0 at eos and -inf elsewhere
    done = finished.reshape(-1)
    logits[done] = float('-inf')
    logits[done, eos] = 0.0

    logp = F.log_softmax(logits, dim=-1).reshape(B, K, V)
    cand = scores.unsqueeze(2) + logp
    new_scores, idx = cand.reshape(B, K * V).topk(K, dim=1)
    parents, tokens = idx // V, idx % V
    new_finished = finished.gather(1, parents) | (tokens == eos)

    rows = (parents + K * torch.arange(B, device=parents.device)[:, None]).reshape(-1)
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    T, B, K = tokens.size()
    ix = torch.arange(K, device=tokens.device).repeat(B, 1)
    out = []
    for t in range(T - 1, -1, -1):
        out.append(tokens[t].gather(1, ix))
        if t > 0:
            ix = parents[t].long().gather(1, ix)
    return torch.stack(out[::-1], dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, ix = (scores / lp).max(dim=1)
    return sequences[torch.arange(len(ix), device=ix.device), ix], best
