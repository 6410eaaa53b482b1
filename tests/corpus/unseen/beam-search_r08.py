# attn-kata: beam-search
import torch, torch.nn.functional as F

rep = lambda c, k: c[torch.arange(len(c) * k, device=c.device) // k]


def start_beams(logits, keys, values, beams):
    t = logits.argsort(-1, descending=True)[:, :beams]
    return logits.log_softmax(-1).gather(-1, t), t, rep(keys, beams), rep(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    (B, K), V, INF = scores.shape, logits.shape[1], float("inf")
    lp = F.log_softmax(logits, 1)
    lp = lp.masked_fill(finished.reshape(-1, 1), -INF)
    # an out-of-the-way write: rows that are done get their single candidate back
    lp[:, eos] = lp[:, eos].where(~finished.reshape(-1), lp.new_zeros(()))
    s, i = (lp + scores.reshape(-1, 1)).reshape(B, -1).topk(K)
    p, t = i // V, i % V
    r = torch.cat([p[b] + b * K for b in range(B)])
    return s, t, p, finished.gather(1, p) | (t == eos), keys[r], values[r]


def trace_back(tokens, parents):
    n, B, K = tokens.shape
    # anc[t] : which beam of step t each final beam came through
    anc = [torch.arange(K, device=tokens.device).expand(B, K)]
    for p in parents[1:].flip(0): anc.insert(0, p.long().gather(1, anc[0]))
    return tokens.gather(2, torch.stack(anc)).permute(1, 2, 0).contiguous()


def best_sequence(sequences, scores, lengths, alpha):
    # exp / log1p form of score / ((5 + n) / 6) ** alpha
    pen = scores * torch.exp(-alpha * torch.log1p((lengths.to(scores.dtype) - 1) / 6))
    i = pen.argmax(1, keepdim=True)
    return torch.cat([s[j] for s, j in zip(sequences, i)]), pen.gather(1, i).squeeze(1)
