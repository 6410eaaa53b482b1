# A child is one step above its parent; ancestors are all steps: (I - A)^-1 counts the ways, and in a
# tree there is one or none. A is nilpotent, so squaring the sum a few times is enough.
import torch


def tree_mask(back):
    n = back.numel()
    i = torch.arange(n, device=back.device)
    step = (i[None, :] == (i - back.reshape(-1).long())[:, None]).double()
    reach, power = torch.eye(n, dtype=torch.float64, device=back.device) + step, step
    reached = 1
    while reached < n:
        power = power @ power
        reach = reach + reach @ power
        reached = 2 * reached + 1
    return reach > 0.5


def tree_attention(query, key, value, back):
    n, prefix = query.shape[2], key.shape[2] - query.shape[2]
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    s = q @ k.transpose(2, 3) * q.shape[3] ** -0.5
    past, own = s.split([prefix, n], dim=3)
    own = own.masked_fill(~tree_mask(back), float("-inf"))
    # two softmaxes, joined by their log-sum-exps
    lse = torch.logaddexp(past.logsumexp(3, True), own.logsumexp(3, True)) if prefix else own.logsumexp(3, True)
    out = (past - lse).exp() @ v[:, :, :prefix] + (own - lse).exp() @ v[:, :, prefix:]
    return out.to(query.dtype)
