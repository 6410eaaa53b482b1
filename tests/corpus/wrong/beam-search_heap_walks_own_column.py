# wrong: beam-search trace-not-chained line 53
# fair: trace-not-chained 52
import heapq

import torch


def start_beams(logits, keys, values, beams):
    logp = torch.log_softmax(logits, dim=-1)
    scores, tokens = [], []
    for row in logp:
        best = heapq.nlargest(beams, range(len(row)), key=lambda token: row[token].item())
        tokens.append(torch.tensor(best, device=logits.device))
        scores.append(row[tokens[-1]])
    copies = [sample for sample in range(len(logits)) for _ in range(beams)]
    return torch.stack(scores), torch.stack(tokens), keys[copies], values[copies]


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = torch.log_softmax(logits, dim=-1)
    new_scores = torch.empty_like(scores)
    new_tokens = torch.empty_like(finished, dtype=torch.long)
    parents = torch.empty_like(new_tokens)
    new_finished = torch.empty_like(finished)
    rows = []
    for b in range(batch):
        heap = []
        for k in range(beams):
            so_far = scores[b, k].item()
            if finished[b, k]:
                heap.append((so_far, k, eos))
                continue
            top, ids = logp[b * beams + k].topk(min(beams, logits.size(-1)))
            heap.extend((so_far + s, k, t) for s, t in zip(top.tolist(), ids.tolist()))
        for place, (score, parent, token) in enumerate(heapq.nlargest(beams, heap)):
            new_scores[b, place] = score
            new_tokens[b, place] = token
            parents[b, place] = parent
            new_finished[b, place] = finished[b, parent] | (token == eos)
            rows.append(b * beams + parent)
    return new_scores, new_tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    out = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            here = k
            for t in range(steps - 1, -1, -1):
                out[b, k, t] = tokens[t, b, here]
                here = parents[t, b, k].item()
    return out


def best_sequence(sequences, scores, lengths, alpha):
    chosen, best = [], []
    for rows, score, length in zip(sequences, scores, lengths):
        penalized = [s / ((5 + n.item()) / 6) ** alpha for s, n in zip(score, length)]
        top = max(range(len(penalized)), key=lambda i: penalized[i].item())
        chosen.append(rows[top])
        best.append(penalized[top])
    return torch.stack(chosen), torch.stack(best)
