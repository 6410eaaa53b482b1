# wrong: drill-softmax empty-row-not-zero line 17
# fair: empty-row-not-zero 17, 18, 19
from torch import exp, inf, log


def softmax(t, dim=-1):
    e = exp(t - t.amax(dim, True))
    return e / e.sum(dim, True)


def log_sum_exp(t, dim=-1):
    peak = t.amax(dim)
    return peak + log(exp(t - peak.unsqueeze(dim)).sum(dim))


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask == 0, -inf)
    e = exp(scores - scores.amax(-1, True))
    return e / e.sum(-1, True)
