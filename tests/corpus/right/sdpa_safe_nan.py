# right: sdpa
import torch


class Masks:
    @staticmethod
    def causal(scores):
        q_len, k_len = scores.shape[-2:]
        offset = k_len - q_len
        i = torch.arange(q_len, device=scores.device)[:, None] + offset
        j = torch.arange(k_len, device=scores.device)[None]
        return j <= i


def attention(query, key, value, mask=None, *, causal=False):
    scores = query.matmul(key.transpose(-1, -2)).div(query.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    if causal:
        scores = scores.masked_fill(~Masks.causal(scores), -torch.inf)
    probs = scores.softmax(-1)
    probs = torch.nan_to_num(probs, nan=0.0)
    return probs @ value
