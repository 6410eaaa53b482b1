import torch


def start_beams(logits, keys, values, beams):
    lp = torch.log_softmax(logits, dim=1)
    top = torch.topk(lp, k=beams, dim=1)
    k = torch.repeat_interleave(keys, beams, 0)
    v = torch.repeat_interleave(values, beams, 0)
    return top.values, top.indices, k, v


def beam_step(scores, logits, keys, values, finished, eos):
    bs, nb = scores.shape
    voc = logits.size(-1)
    lp = torch.log_softmax(logits, dim=-1).reshape(bs, nb, voc).clone()
    # finished beams: only eos, for free
    for b in range(bs):
        for i in range(nb):
            if finished[b, i]:
                lp[b, i, :] = -float('inf')
                lp[b, i, eos] = 0
    # first the best nb of every beam, then the best nb of those
    k = min(nb, voc)
    val, idx = torch.topk(scores[:, :, None] + lp, k, dim=2)
    val2, idx2 = torch.topk(val.reshape(bs, nb * k), nb, dim=1)
    par = idx2 // k
    tok = torch.gather(idx.reshape(bs, nb * k), 1, idx2)
    done = finished | (tok == eos)
    rows = (par + nb * torch.arange(bs, device=par.device)[:, None]).view(-1)
    return val2, tok, par, done, torch.index_select(keys, 0, rows), torch.index_select(values, 0, rows)


def trace_back(tokens, parents):
    steps, bs, nb = tokens.shape
    seqs = torch.zeros(bs, nb, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(bs):
        for i in range(nb):
            cur = i
            for t in range(steps - 1, -1, -1):
                seqs[b, i, t] = tokens[t, b, cur]
                if t > 0:
                    cur = int(parents[t, b, cur])
    return seqs


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    final = scores / lp
    i = torch.argmax(final, dim=1)
    picked = torch.stack([s[j] for s, j in zip(sequences, i)])
    return picked, torch.gather(final, 1, i[:, None]).squeeze(1)
