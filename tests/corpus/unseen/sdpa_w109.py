# 手写的 scaled dot-product attention
import torch


def attention(query, key, value, mask=None, causal=False):
    d = query.shape[-1]
    scores = torch.matmul(query, key.mT) * d ** -0.5

    # 没有要遮住的东西: 直接算
    nothing_hidden = mask.bool().all() if mask is not None else not causal
    if nothing_hidden:
        return torch.matmul(scores.softmax(-1), value)

    q_len, k_len = scores.shape[-2:]
    allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=scores.device)
    if causal:
        allowed = allowed.tril(k_len - q_len)
    if mask is not None:
        allowed = allowed & mask.bool()
    scores = scores.masked_fill(torch.logical_not(allowed), float("-inf"))
    return torch.matmul(scores.softmax(-1), value)
