"""Both with the same trick: a column of ones beside the values carries the normaliser."""
import torch


def _feature(x):
    # exp only of what is not positive, so that nothing overflows on either branch
    return torch.exp(x.clamp(max=0)) + x.clamp(min=0)


def _prepare(query, key, value):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    ones = torch.ones_like(v[..., :1])
    return _feature(q), _feature(k), torch.cat((v, ones), dim=-1)


def _finish(y, like):
    return (y[..., :-1] / y[..., -1:]).to(like.dtype)


def linear_attention(query, key, value):
    q, k, v1 = _prepare(query, key, value)
    memory = torch.einsum("bhkd,bhke->bhde", k, v1)
    return _finish(torch.einsum("bhqd,bhde->bhqe", q, memory), query)


def causal_linear_attention(query, key, value):
    q, k, v1 = _prepare(query, key, value)
    cols = []
    for e in range(v1.size(-1)):
        # running sums for one value column at a time: (b, h, n, d)
        run = torch.cumsum(k * v1[..., e : e + 1], dim=2)
        cols.append((q * run).sum(-1))
    return _finish(torch.stack(cols, dim=-1), query)
