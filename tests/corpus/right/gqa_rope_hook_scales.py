# right: gqa-rope
import torch as t, functools as f
from torch import nn as N


@f.lru_cache(maxsize=8)
def W(d, b): return tuple(b ** (-i / d) for i in range(0, d, 2))


def R(z, p, b):
    w = t.tensor(W(z.shape[-1], float(b)), dtype=t.float64, device=z.device)
    c, s = ((g := p[:, None] * w).cos().to(z), g.sin().to(z)); u, v = z.chunk(2, -1)
    return t.cat([u*c - v*s,
                  v*c + u*s], -1)


def _scaled(module, args, out, *, by): return out * by


class GroupedQueryAttentionWithRope(N.Module):
  def __init__(S, hidden_dim, num_heads, num_kv_heads, base=10000):
    super().__init__(); S.H, S.K, S.b = num_heads, num_kv_heads, base; S.D = D = hidden_dim // num_heads
    S.q, S.k, S.v, S.o = (N.Linear(*io, bias=False) for io in
        ((hidden_dim, S.H*D), (hidden_dim, S.K*D), (hidden_dim, S.K*D), (S.H*D, hidden_dim)))
    S.q.register_forward_hook(f.partial(_scaled, by=D ** -.5))

  def forward(S, x, cache=None):
    B, n, _ = x.shape
    m = cache[2] if cache else 0
    p = t.arange(m, m + n, device=x.device)
    q, k, v = (L(x).view(B, n, h, S.D).movedim(1, 2) for L, h in ((S.q, S.H), (S.k, S.K), (S.v, S.K)))
    q, k = R(q, p, S.b), R(k, p, S.b)
    if cache: k, v = t.cat((cache[0], k), 2), t.cat((cache[1], v), 2)
    a = t.einsum('bkgqd,bksd->bkgqs', q.reshape(B, S.K, -1, n, S.D), k)
    a = a.masked_fill(t.arange(m + n, device=x.device) > p[:, None], float('-inf')).softmax(-1)
    y = t.einsum('bkgqs,bksd,okgd->bqo', a, v, S.o.weight.view(-1, S.K, S.H // S.K, S.D))
    return (y, (k, v, m + n))
