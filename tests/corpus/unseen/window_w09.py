import math
import torch
from torch import Tensor


class WindowBias:
    def __init__(self, window: int):
        self.window = window

    def __call__(self, scores: Tensor) -> Tensor:
        n = scores.size(-1)
        pos = torch.arange(n, dtype=scores.dtype, device=scores.device)
        rel = pos[None, :] - pos[:, None]      # key minus query
        outside = (rel > 0) | (rel <= -self.window)
        return torch.zeros_like(scores[0, 0]).masked_fill_(outside, -math.inf)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    scores = torch.matmul(query / math.sqrt(query.size(-1)), key.mT)
    scores = scores + WindowBias(window)(scores)
    attn = torch.softmax(scores, dim=-1, dtype=torch.float64).to(value.dtype)
    return torch.matmul(attn, value)
