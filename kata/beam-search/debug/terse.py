import torch


def start_beams(x, k, v, n):
    return *x.log_softmax(-1).topk(n), *(c.repeat_interleave(n, 0) for c in (k, v))


def beam_step(s, x, k, v, done, eos):
    (b, n), m = s.shape, x.shape[-1]
    p = x.log_softmax(-1).view(b, n, m).masked_fill(done[..., None], -torch.inf)
    p[..., eos].masked_fill_(done, 0)
    s, i = (s[..., None] + p).view(b, -1).topk(n)
    i, t = i // m, i % m
    r = (i + n * torch.arange(b, device=i.device)[:, None]).view(-1)
    return s, t, i, t == eos, k[r], v[r]


def trace_back(t, p):
    i, out = torch.arange(t.shape[2], device=t.device).expand(t.shape[1:]), []
    for a, b in zip(t.flip(0), p.flip(0)):
        out, i = [a.gather(1, i), *out], b.gather(1, i)
    return torch.stack(out, -1)


def best_sequence(q, s, n, a):
    s, i = (s / ((5 + n) / 6) ** a).max(1)
    return q[range(len(q)), i], s
