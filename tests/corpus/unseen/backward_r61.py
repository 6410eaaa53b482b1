from typing import NamedTuple

import torch


class Saved(NamedTuple):
    probs: torch.Tensor
    out: torch.Tensor
    scale: float


def _forward(q, k, v, causal) -> Saved:
    scale = q.size(-1) ** -0.5
    s = torch.einsum("...qd, ...kd -> ...qk", q, k) * scale
    if causal:
        nq, nk = s.shape[-2:]
        steps = torch.arange(nk, device=s.device) - torch.arange(nk - nq, nk, device=s.device).unsqueeze(1)
        s = s.masked_fill(steps > 0, float("-inf"))
    p = torch.softmax(s, -1)
    return Saved(p, torch.einsum("...qk, ...kv -> ...qv", p, v), scale)


def attention_backward(query, key, value, grad_output, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g = (x.to(wide) for x in (query, key, value, grad_output))
    ctx = _forward(q, k, v, causal)
    inner = torch.einsum("...qv, ...qv -> ...q", g, ctx.out)
    ds = ctx.probs * (torch.einsum("...qv, ...kv -> ...qk", g, v) - inner[..., None])
    grads = (
        torch.einsum("...qk, ...kd -> ...qd", ds, k) * ctx.scale,
        torch.einsum("...qk, ...qd -> ...kd", ds, q) * ctx.scale,
        torch.einsum("...qk, ...qv -> ...kv", ctx.probs, g),
    )
    return tuple(a.to(b.dtype) for a, b in zip(grads, (query, key, value)))
