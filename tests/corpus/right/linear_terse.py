# right: linear
import torch as t
from functools import reduce

p = lambda x: t.nn.functional.elu(x).add(1)
linear_attention = lambda query, key, value: (a := p(query)) @ (p(key).mT @ value) / (a @ p(key).sum(-2, keepdim=True).mT)


def causal_linear_attention(query, key, value):
    a, b, rows = p(query), p(key), []
    s = z = 0
    for x, y, v in zip(a.unbind(2), b.unbind(2), value.unbind(2)):
        s, z = s + y[..., None] * v[..., None, :], z + y
        rows += [t.einsum("bhd,bhdv->bhv", x, s) / t.einsum("bhd,bhd->bh", x, z)[..., None]]
    return t.stack(rows, 2)
