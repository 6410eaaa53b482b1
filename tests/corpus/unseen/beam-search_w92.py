import torch
from torch.nn.functional import log_softmax


def start_beams(logits, keys, values, beams):
    scores, tokens = log_softmax(logits, -1).sort(-1, descending=True)
    pick = torch.arange(keys.size(0) * beams, device=keys.device) // beams
    return scores[:, :beams].contiguous(), tokens[:, :beams].contiguous(), keys[pick], values[pick]


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = log_softmax(logits, -1).reshape(batch, beams, -1)
    vocab = logp.size(-1)
    out = [[] for _ in range(6)]
    for b in range(batch):
        pool = []
        for k in range(beams):
            if finished[b, k]:
                pool.append((scores[b, k], k, eos))
            else:
                vals, toks = (scores[b, k] + logp[b, k]).topk(min(beams, vocab))
                pool += [(v, k, int(t)) for v, t in zip(vals, toks)]
        pool.sort(key=lambda c: -float(c[0]))
        pool = pool[:beams]
        out[0].append(torch.stack([c[0] for c in pool]))
        out[1].append(torch.tensor([c[2] for c in pool]))
        out[2].append(torch.tensor([c[1] for c in pool]))
        out[3].append(torch.tensor([bool(finished[b, c[1]]) or c[2] == eos for c in pool]))
        rows = [b * beams + c[1] for c in pool]
        out[4].append(keys[rows])
        out[5].append(values[rows])
    dev = scores.device
    return tuple(torch.stack(x).to(dev) for x in out[:4]) + (torch.cat(out[4]), torch.cat(out[5]))


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    result = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            at = k
            for t in range(steps - 1, -1, -1):
                if t < steps - 1:
                    at = int(parents[t, b, at])
                result[b, k, t] = tokens[t, b, at]
    return result


def best_sequence(sequences, scores, lengths, alpha):
    ratio = ((5 + lengths) / 6).to(scores.dtype) ** alpha
    normed = scores / ratio
    best = normed.argmax(-1, keepdim=True)
    chosen = torch.take_along_dim(sequences, best[..., None], dim=1)[:, 0]
    return chosen, normed.gather(-1, best)[:, 0]
