# wrong: window window-both-sides line 9
# fair: window-both-sides 8, 9, 10
import torch


def local_attention(query, key, value, w):
    t = torch.arange(query.size(-2), device=query.device)
    near = (t.unsqueeze(0) - t.unsqueeze(1)).abs() < w
    logits = query @ key.mT / query.size(-1) ** 0.5
    return torch.where(near, logits, float("-inf")).softmax(-1) @ value
