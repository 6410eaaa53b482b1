# wrong: backward grad-value-without-softmax line 19
import math

import torch as jnp


def attention_backward(query, key, value, grad_output, causal=False):
    scale = math.sqrt(query.shape[-1])
    logits = jnp.matmul(query, jnp.swapaxes(key, -1, -2)) / scale
    if causal:
        t, s = logits.shape[-2:]
        ok = jnp.arange(s, device=logits.device)[None, :] - (s - t) <= jnp.arange(t, device=logits.device)[:, None]
        logits = jnp.where(ok, logits, jnp.finfo(logits.dtype).min)
    probs = jnp.softmax(logits, axis=-1)
    g_probs = jnp.matmul(grad_output, jnp.swapaxes(value, -1, -2))
    g_logits = probs * (g_probs - jnp.sum(probs * g_probs, axis=-1, keepdims=True))
    g_query = jnp.matmul(g_logits, key) / scale
    g_key = jnp.matmul(jnp.swapaxes(g_logits, -1, -2), query) / scale
    g_value = jnp.matmul(jnp.swapaxes(g_probs, -1, -2), grad_output)
    return g_query, g_key, g_value
