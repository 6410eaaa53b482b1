# The normaliser is one more value, a 1 for every key: state and sum are one matrix.
from itertools import accumulate
from operator import add

import torch
from torch.nn.functional import elu, pad


def _features(x):
    wide = x if x.dtype == torch.float64 else x.float()
    return elu(wide).add(1)


def _with_one(value):
    return pad(value if value.dtype == torch.float64 else value.float(), (0, 1), value=1.0)


def _finish(both, like):
    *_, width = both.shape
    top, bottom = both.split([width - 1, 1], -1)
    return torch.true_divide(top, bottom).to(like.dtype)


def linear_attention(query, key, value):
    state = torch.einsum("nhsk,nhsv->nhkv", _features(key), _with_one(value))
    return _finish(torch.einsum("nhtk,nhkv->nhtv", _features(query), state), value)


def causal_linear_attention(query, key, value):
    ks, vs = _features(key).unbind(2), _with_one(value).unbind(2)
    written = (k[..., :, None] * v[..., None, :] for k, v in zip(ks, vs))
    reads = [
        torch.einsum("nhk,nhkv->nhv", q, state)
        for q, state in zip(_features(query).unbind(2), accumulate(written, add))
    ]
    return _finish(torch.stack(reads, dim=2), value)
