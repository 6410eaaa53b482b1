# wrong: sdpa softmax-wrong-axis line 14
# fair: softmax-wrong-axis 14, 4
from torch import einsum, softmax, arange
AXIS = -2


def attention(query, key, value, mask=None, causal=False):
    logits = einsum('bhid,bhjd->bhij', query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        logits = logits.masked_fill(mask == 0, -1e30)
    if causal:
        i, j = logits.shape[-2:]
        future = arange(j, device=query.device) > arange(j - i, j, device=query.device)[:, None]
        logits = logits.masked_fill(future, -1e30)
    probs = softmax(logits, dim=AXIS)
    return einsum('bhij,bhjd->bhid', probs, value)
