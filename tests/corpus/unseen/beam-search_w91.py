import torch


class LengthPenalty:
    """GNMT, eq. 14"""

    def __init__(self, alpha):
        self.alpha = alpha

    def denominator(self, lengths):
        return ((5 + lengths.double()) / 6) ** self.alpha

    def __call__(self, logprob, lengths):
        lp = self.denominator(lengths).to(logprob.dtype)
        return logprob * lp


def start_beams(logits, keys, values, beams):
    top = logits.topk(beams, dim=1)
    norm = torch.logsumexp(logits, dim=1, keepdim=True)
    tile = lambda c: c.unsqueeze(1).expand(-1, beams, -1, -1, -1).flatten(0, 1).clone()
    return top.values - norm, top.indices, tile(keys), tile(values)


def beam_step(scores, logits, keys, values, finished, eos):
    n, k = scores.shape
    v = logits.size(1)
    step = (logits - logits.logsumexp(1, keepdim=True)).reshape(n, k, v).clone()
    step[finished] = float("-inf")
    step[..., eos] = torch.where(finished, torch.zeros_like(scores), step[..., eos])
    flat = (step + scores.unsqueeze(2)).reshape(n, -1)
    s, at = flat.topk(k)
    par = torch.div(at, v, rounding_mode="trunc")
    tok = at - par * v
    base = torch.arange(n, device=par.device).unsqueeze(1) * k
    gl = (base + par).reshape(-1)
    fin = finished.reshape(-1)[gl].reshape(n, k) | (tok == eos)
    return s, tok, par, fin, keys[gl], values[gl]


def trace_back(tokens, parents):
    T, n, k = tokens.shape
    beam = torch.arange(k, device=tokens.device)[None].expand(n, k)
    rows = torch.arange(n, device=tokens.device)[:, None]
    rev = []
    for t in range(T - 1, -1, -1):
        rev.append(tokens[t][rows, beam])
        beam = parents[t][rows, beam].long() if t else beam
    return torch.stack(rev[::-1], 2)


def best_sequence(sequences, scores, lengths, alpha):
    pen = LengthPenalty(alpha)(scores, lengths)
    val, which = pen.max(1)
    return sequences[torch.arange(len(which)), which], val
