import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn


def one_head(block, x, gains):
    """block (4, head_dim, hidden): q, k, v and what the head writes back."""
    wq, wk, wv, wo = block.unbind(0)
    unit = partial(F.rms_norm, normalized_shape=(wq.shape[0],), eps=1e-6)
    query = unit(x @ wq.T) * gains["query"]
    key = unit(x @ wk.T) * gains["key"]
    score = query @ key.transpose(-1, -2) / math.sqrt(wq.shape[0])
    hide = torch.full_like(score[0], float("-inf")).triu(1)
    return torch.softmax(score + hide, dim=-1) @ (x @ wv.T) @ wo


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.heads = nn.Parameter(torch.randn(num_heads, 4, head_dim, hidden_dim) * hidden_dim**-0.5)
        self.gains = nn.ParameterDict({k: nn.Parameter(torch.ones(head_dim)) for k in ("key", "query")})

    def forward(self, x):
        gains = dict(self.gains.items())
        return torch.func.vmap(one_head, in_dims=(0, None, None))(self.heads, x, gains).sum(0)
