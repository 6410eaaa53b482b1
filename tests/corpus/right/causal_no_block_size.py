# right: causal
"""No block size: positions are compared on the fly, so any length goes."""
import torch
from torch import nn


def causal_bias(length, like):
    positions = torch.arange(length, device=like.device)
    future = positions[None, :] > positions[:, None]
    return torch.zeros(length, length, dtype=like.dtype, device=like.device).masked_fill(future, float("-inf"))


class CausalAttention(nn.Module):
    def __init__(self, n_heads: int, dim: int):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x: torch.Tensor, start_pos: int = 0, kv_cache=None) -> torch.Tensor:
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        if kv_cache is not None:
            xk, xv = torch.cat([kv_cache[0], xk], 1), torch.cat([kv_cache[1], xv], 1)
        xq, keys, values = (t.transpose(1, 2) for t in (xq, xk, xv))
        scores = torch.matmul(xq, keys.transpose(2, 3)) * self.head_dim**-0.5
        if seqlen > 1:
            scores = scores + causal_bias(seqlen, scores)
        scores = nn.functional.softmax(scores.float(), dim=-1).type_as(xq)
        output = torch.matmul(scores, values)
        return self.wo(output.transpose(1, 2).contiguous().view(bsz, seqlen, -1))
