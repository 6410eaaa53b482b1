# right: sdpa
import torch as th


def attention(Q, K, V, m=None, causal=False):
    S = Q @ K.mT * Q.size(-1) ** -.5
    ok = th.ones_like(S, dtype=th.bool)
    if m is not None: ok = ok & (m != 0)
    if causal: ok = ok & (th.arange(S.size(-1)) <= th.arange(S.size(-2))[:, None] + S.size(-1) - S.size(-2)).to(S.device)
    return th.where(ok, S, -th.inf).softmax(-1) @ V
