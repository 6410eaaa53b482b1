import torch
from torch.nn.functional import log_softmax, one_hot


def start_beams(logits, keys, values, beams):
    s, t = log_softmax(logits, -1).sort(dim=-1, descending=True)
    rep = lambda c: torch.repeat_interleave(c, beams, 0)
    return s[:, :beams], t[:, :beams], rep(keys), rep(values)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.size(-1)
    lp = log_softmax(logits, -1).unflatten(0, (B, K))
    is_eos = one_hot(torch.tensor(eos, device=logits.device), V).bool()
    lp = lp.masked_fill(finished[:, :, None] & ~is_eos, -torch.inf)
    lp = lp.masked_fill(finished[:, :, None] & is_eos, 0.0)
    s, flat = (scores[:, :, None] + lp).flatten(1).sort(dim=-1, descending=True)
    s, flat = s[:, :K], flat[:, :K]
    par, tok = flat // V, flat % V
    rows = (torch.arange(0, B * K, K, device=par.device)[:, None] + par).reshape(-1)
    done = torch.take_along_dim(finished, par, 1) | (tok == eos)
    return s, tok, par, done, keys[rows], values[rows]


def trace_back(tokens, parents):
    def walk(t, at):
        own = torch.take_along_dim(tokens[t], at, 1)[..., None]
        if t == 0:
            return own
        return torch.cat([walk(t - 1, torch.take_along_dim(parents[t - 1].long(), at, 1)), own], -1)

    steps, B, K = tokens.shape
    start = torch.arange(K, device=tokens.device).repeat(B, 1)
    return walk(steps - 1, start)


def best_sequence(sequences, scores, lengths, alpha):
    pen = scores / ((5 + lengths) / 6) ** alpha
    i = pen.argmax(-1)
    b = torch.arange(len(i), device=i.device)
    return sequences[b, i], pen[b, i]
