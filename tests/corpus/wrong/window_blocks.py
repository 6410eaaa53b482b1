# wrong: window window-in-blocks line 10
# fair: window-in-blocks 8, 9, 10, 11
import torch


def window_attention(query, key, value, window):
    length = query.shape[-2]
    block = torch.arange(length, device=query.device) // window
    same = block[:, None] == block[None, :]
    seen = same & torch.ones_like(same).tril()
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~seen, float("-inf"))
    return scores.softmax(-1) @ value
