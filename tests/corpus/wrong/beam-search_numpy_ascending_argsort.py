# wrong: beam-search beams-out-of-order line 15
# fair: beams-out-of-order 14, 15
# numpy-like, row by row
import torch


def log_softmax(x):
    x = x - x.max(dim=-1, keepdim=True).values
    return x - x.exp().sum(dim=-1, keepdim=True).log()


def start_beams(logits, keys, values, beams):
    lp = log_softmax(logits)
    order = torch.argsort(lp, dim=1)
    tokens = order[:, -beams:]
    scores = torch.gather(lp, 1, tokens)
    owner = torch.repeat_interleave(torch.arange(logits.shape[0], device=logits.device), beams)
    return scores, tokens, keys[owner], values[owner]


def beam_step(scores, logits, keys, values, finished, eos):
    n, k = scores.shape
    v = logits.shape[1]
    lp = log_softmax(logits).reshape(n, k, v)
    new_scores = torch.empty_like(scores)
    tokens = torch.empty(n, k, dtype=torch.long, device=scores.device)
    parents = torch.empty_like(tokens)
    new_keys = torch.empty_like(keys)
    new_values = torch.empty_like(values)
    for b in range(n):
        table = scores[b][:, None] + lp[b]
        for j in range(k):
            if finished[b, j]:
                table[j, :] = -float("inf")
                table[j, eos] = scores[b, j]
        order = torch.argsort(table.reshape(-1), descending=True)[:k]
        for j in range(k):
            p, t = divmod(int(order[j]), v)
            new_scores[b, j] = table[p, t]
            parents[b, j] = p
            tokens[b, j] = t
            new_keys[b * k + j] = keys[b * k + p]
            new_values[b * k + j] = values[b * k + p]
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    return new_scores, tokens, parents, new_finished, new_keys, new_values


def trace_back(tokens, parents):
    steps, n, k = tokens.shape
    out = torch.zeros(n, k, steps, dtype=torch.long, device=tokens.device)
    for b in range(n):
        for j in range(k):
            cur = j
            for s in range(steps - 1, -1, -1):
                out[b, j, s] = tokens[s, b, cur]
                if s > 0:
                    cur = int(parents[s, b, cur])
    return out


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5.0 + lengths.double()) / 6.0) ** alpha
    i = torch.argmax(penalized, dim=1)
    r = torch.arange(scores.shape[0], device=scores.device)
    return sequences[r, i], penalized[r, i]
