import functools

import torch


def compiled(**options):
    """Stands in for torch.compile on machines without a compiler."""

    def keep(fn):
        return fn

    return keep


def same_shapes(fn):
    @functools.wraps(fn)
    def checked(q, k, v, *a, **kw):
        assert q.shape == k.shape == v.shape, (q.shape, k.shape, v.shape)
        return fn(q, k, v, *a, **kw)

    return lambda query, key, value, window: checked(query, key, value, window=window)


@compiled(dynamic=True)
def band(n, window, device=None):
    # everything on or below the diagonal, minus what lies `window` or more below it
    full = torch.ones(n, n, dtype=torch.bool, device=device)
    return full.tril() ^ full.tril(-window)


@same_shapes
@compiled(fullgraph=True)
def window_attention(query, key, value, *, window):
    n, d = query.shape[-2:]
    logits = torch.einsum("bhid,bhjd->bhij", query, key).mul(d ** -0.5)
    logits = logits.masked_fill(~band(n, window, logits.device), torch.finfo(logits.dtype).min)
    return torch.einsum("bhij,bhjd->bhid", logits.softmax(-1), value)


assert band(4, 2).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
assert torch.equal(band(3, 1), torch.eye(3, dtype=torch.bool))
assert torch.equal(band(3, 99), torch.ones(3, 3, dtype=torch.bool).tril())
