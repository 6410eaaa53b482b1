import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    batch, heads, length, head_dim = query.shape
    outputs = []
    for i in range(length):
        start = max(0, i - window)
        stop = i + 1
        q = query[:, :, i : i + 1, :]
        k = key[:, :, start:stop, :]
        v = value[:, :, start:stop, :]
        scores = torch.matmul(q, k.transpose(2, 3)) / head_dim**0.5
        weights = torch.softmax(scores, dim=-1)
        outputs.append(torch.matmul(weights, v))
    return torch.cat(outputs, dim=2)
