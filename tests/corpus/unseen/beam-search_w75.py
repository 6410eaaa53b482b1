import torch

def start_beams(logits, keys, values, beams):
    s, t = logits.log_softmax(-1).topk(beams)
    r = lambda c: c[:, None].expand(-1, beams, -1, -1, -1).flatten(0, 1)
    return s, t, r(keys), r(values)

def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.size(-1)
    lp = logits.log_softmax(-1).view(B, K, V)
    stay = torch.full((V,), -torch.inf, dtype=lp.dtype, device=lp.device)
    stay[eos] = 0
    lp = torch.where(finished[..., None], stay, lp)
    c = scores[..., None] + lp
    s, i = c.view(B, K * V).topk(K)
    par, tok = i // V, i % V
    idx = (torch.arange(B, device=i.device)[:, None] * B + par).flatten()
    fin = torch.take_along_dim(finished, par, 1) | (tok == eos)
    return s, tok, par, fin, keys[idx], values[idx]

def trace_back(tokens, parents):
    S, B, K = tokens.shape
    p = torch.arange(K, device=tokens.device).expand(B, K)
    out = []
    for t in range(S - 1, -1, -1):
        out.append(tokens[t].gather(1, p))
        p = parents[t].long().gather(1, p)
    return torch.stack(out[::-1], -1)

def best_sequence(sequences, scores, lengths, alpha):
    f = scores / ((5 + lengths) / 6) ** alpha
    j = f.argmax(1)
    a = torch.arange(len(j), device=j.device)
    return sequences[a, j], f[a, j]
