# wrong: window window-too-narrow line 9
# fair: window-too-narrow 9, 10
import torch


def sliding_window_attention(q, k, v, window_size):
    pos = torch.arange(q.size(-2), device=q.device)
    back = pos[:, None] - pos
    visible = (back >= 0) & (back + 1 < window_size)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
    scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    return torch.einsum("bhqk,bhkd->bhqd", torch.softmax(scores, -1), v)
