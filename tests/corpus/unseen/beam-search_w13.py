# attn-kata: beam-search
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    lp = F.log_softmax(logits, -1)
    s, t = torch.topk(lp, beams)
    return s, t, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[1]
    lp = F.log_softmax(logits, -1).reshape(B, K, V)
    new = [[] for _ in range(B)]

    for b in range(B):
        # hypotheses that are done
        pool = [(float(scores[b, k]), eos, k) for k in range(K) if finished[b, k]]
        room = K - len(pool)
        # hypotheses that go on
        grow = []
        for k in range(K):
            if finished[b, k]:
                continue
            s, t = (scores[b, k] + lp[b, k]).topk(min(K, V))
            grow += [(x, y, k) for x, y in zip(s.tolist(), t.tolist())]
        grow.sort(key=lambda c: c[0], reverse=True)
        pool += grow[:room]
        pool.sort(key=lambda c: c[0], reverse=True)
        new[b] = pool

    s = torch.tensor([[c[0] for c in p] for p in new], dtype=scores.dtype, device=scores.device)
    t = torch.tensor([[c[1] for c in p] for p in new], device=scores.device)
    par = torch.tensor([[c[2] for c in p] for p in new], device=scores.device)
    fin = finished.gather(1, par) | (t == eos)
    rows = (par + torch.arange(B, device=scores.device)[:, None] * K).reshape(-1)
    return s, t, par, fin, keys[rows], values[rows]


def trace_back(tokens, parents):
    N, B, K = tokens.shape
    seqs = [[[] for _ in range(K)] for _ in range(B)]
    tok, par = tokens.tolist(), parents.tolist()
    for n in range(N):
        seqs = [
            [(seqs[b][par[n][b][k]] if n else []) + [tok[n][b][k]] for k in range(K)]
            for b in range(B)
        ]
    return torch.tensor(seqs, device=tokens.device)


def best_sequence(sequences, scores, lengths, alpha):
    z = scores / ((5 + lengths.double()) / 6) ** alpha
    i = z.argmax(1)
    r = torch.arange(len(i), device=i.device)
    return sequences[r, i], z[r, i]
