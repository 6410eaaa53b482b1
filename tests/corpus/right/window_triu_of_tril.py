# right: window
import torch as t


def swa(q, k, v, w):
    s = t.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    m = t.ones_like(s[0, 0], dtype=t.bool).tril().triu(1 - w)
    return t.einsum("bhij,bhjd->bhid", s.where(m, -t.inf).softmax(-1), v)
