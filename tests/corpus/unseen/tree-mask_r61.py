"""Ancestors by pointer jumping: after step s every token knows the relatives up to 2**s above it."""
import torch
import torch.nn.functional as F


def tree_mask(back):
    n = back.numel()
    me = torch.arange(n, device=back.device)
    jump = torch.clamp(me - back, min=-1)
    jump = F.pad(torch.where(jump < 0, n, jump), (0, 1), value=n)      # entry n: the root, its own parent
    seen = torch.eye(n + 1, dtype=torch.bool, device=back.device)
    for _ in range(n.bit_length()):
        seen = seen | seen[jump]
        jump = jump[jump]
    return seen[:n, :n]


def _log_weights(scores):
    return scores - torch.logsumexp(scores, -1, keepdim=True)


def tree_attention(query, key, value, back):
    drafted = back.numel()
    prefix = key.size(2) - drafted
    up = torch.promote_types(query.dtype, torch.float32)
    q = query.to(up) * query.size(-1) ** -0.5
    (kp, kd), (vp, vd) = (x.to(up).split([prefix, drafted], 2) for x in (key, value))
    own = (q @ kd.mT).masked_fill(~tree_mask(back), float("-inf"))
    w = _log_weights(torch.cat([q @ kp.mT, own], -1)).exp()
    return (w[..., :prefix] @ vp + w[..., prefix:] @ vd).to(query.dtype)
