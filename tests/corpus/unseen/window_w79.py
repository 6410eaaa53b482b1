import torch
from torch import Tensor
import torch.nn.functional as F


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """
    query, key, value: [batch, heads, length, head_dim]
    """
    length = query.size(2)
    d_k = query.size(3)
    ones = torch.ones(length, length, device=query.device, dtype=query.dtype)
    # lower triangle, minus everything that is too far back
    band = torch.tril(ones) - torch.tril(ones, diagonal=-window)

    attn = torch.matmul(query, key.transpose(2, 3)) / d_k ** 0.5
    attn = F.softmax(attn, dim=-1)
    attn = attn * band
    return torch.matmul(attn, value)
