import torch


def _tile(q, k, v, ahead):
    """One tile by itself: its softmax output and the log-sum-exp of its scores."""
    s = q @ k.mT
    if ahead is not None:
        s = s.masked_fill(ahead, torch.finfo(s.dtype).min)
    lse = s.logsumexp(-1, keepdim=True)
    return (s - lse).exp() @ v, lse


def _join(a, b):
    (oa, la), (ob, lb) = a, b
    l = torch.logaddexp(la, lb)
    return oa * (la - l).exp() + ob * (lb - l).exp(), l


def flash_attention(query, key, value, block_size, causal=False):
    L, d = query.shape[-2:]
    q_all = query * d**-0.5
    pos = torch.arange(L, device=query.device)
    step = 2 * block_size  # rows are cheap
    outs = []
    for q0 in range(0, L, step):
        q1 = min(q0 + step, L)
        q = q_all[:, :, q0:q1]
        last = q0 + 1 if causal else L
        state = None
        for k0 in range(0, last, block_size):
            k1 = min(k0 + block_size, L)
            ahead = pos[None, k0:k1] > pos[q0:q1, None] if causal else None
            new = _tile(q, key[:, :, k0:k1], value[:, :, k0:k1], ahead)
            state = new if state is None else _join(state, new)
        outs.append(state[0])
    return torch.cat(outs, -2)
