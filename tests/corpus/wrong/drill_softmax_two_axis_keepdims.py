# wrong: drill-softmax axis-ignored line 10, summed-axis-left line 16
import torch as jnp


def _max(x, axis):
    return jnp.amax(x, dim=axis, keepdim=True)


def softmax(x, dim=-1):
    unnormalized = jnp.exp(x - _max(x, -1))
    return jnp.divide(unnormalized, jnp.sum(unnormalized, axis=-1, keepdims=True))


def log_sum_exp(x, dim=-1):
    m = _max(x, dim)
    return m + jnp.log(jnp.sum(jnp.exp(x - m), axis=dim, keepdims=True))


def masked_softmax(scores, mask):
    where = jnp.broadcast_to(mask != 0, scores.shape)
    lowest = jnp.finfo(scores.dtype).min
    m = _max(jnp.where(where, scores, lowest), -1)
    # double where: nothing strange ever reaches exp
    safe = jnp.where(where, scores - m, 0.0)
    e = jnp.where(where, jnp.exp(safe), 0.0)
    z = jnp.sum(e, axis=-1, keepdims=True)
    return e / jnp.where(z > 0, z, 1.0)
