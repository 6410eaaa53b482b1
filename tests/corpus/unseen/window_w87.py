import math
import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length = query.shape[-2]
    i = torch.arange(length, device=query.device).unsqueeze(1)
    j = torch.arange(length, device=query.device).unsqueeze(0)
    past = j <= i
    near = j >= i - window
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~(past & near), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
