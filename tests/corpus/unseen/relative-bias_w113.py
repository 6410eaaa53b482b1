import functools
import math

import torch as jnp
from torch import vmap


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    rel = relative_position.to(jnp.int64)
    side = num_buckets // 2 if bidirectional else num_buckets
    exact = side // 2
    dist = jnp.where(rel < 0, -rel, rel if bidirectional else jnp.zeros_like(rel))
    frac = jnp.log(jnp.clamp(dist, exact).to(jnp.float64) / exact) / math.log(max_distance / exact)
    wide = exact + (frac * (num_buckets - exact)).to(jnp.int64)
    out = jnp.where(dist < exact, dist, jnp.clamp(wide, max=side - 1))
    return out + side * (rel > 0) * bool(bidirectional)


def _relative(q_len, k_len, device):
    kpos = jnp.arange(k_len, device=device)
    qpos = kpos[k_len - q_len :]
    return kpos[None] - qpos[:, None]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    ids = bucket(
        _relative(query_length, key_length, table.device), bidirectional, table.shape[0], max_distance
    )
    lookup = lambda column: column[ids]
    return vmap(lookup, in_dims=1)(table)


def _head(q, k, v, b, allowed):
    """One head of one sample: (q_len, d), (k_len, d), (k_len, e), (q_len, k_len)."""
    logits = jnp.einsum("td,sd->ts", q, k) + b
    logits = jnp.where(allowed, logits, -jnp.inf)
    w = jnp.softmax(logits, -1)
    return w @ v


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    ct = jnp.promote_types(query.dtype, jnp.float32)
    tq, tk = query.shape[-2], key.shape[-2]
    b = bias(table, tq, tk, bidirectional, max_distance).to(ct)
    rel = _relative(tq, tk, query.device)
    allowed = (rel <= 0) | bool(bidirectional)
    per_head = vmap(functools.partial(_head, allowed=allowed), in_dims=(0, 0, 0, 0))
    per_batch = vmap(per_head, in_dims=(0, 0, 0, None))
    return per_batch(query.to(ct), key.to(ct), value.to(ct), b).to(query.dtype)
