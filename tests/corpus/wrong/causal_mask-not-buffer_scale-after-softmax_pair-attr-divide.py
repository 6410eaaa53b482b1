# wrong: causal mask-not-buffer line 14, scale-after-softmax line 22
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.future = torch.triu(torch.full((block_size, block_size), float("-inf")), diagonal=1)

    def forward(self, x):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = self.wqkv(x).chunk(3, dim=-1)
        xq, xk, xv = (t.view(bsz, seqlen, self.num_heads, self.head_dim).transpose(1, 2) for t in (xq, xk, xv))
        scores = torch.matmul(xq, xk.transpose(2, 3))
        scores = scores + self.future[:seqlen, :seqlen].to(scores.dtype)
        scores = torch.softmax(scores, dim=-1) / math.sqrt(self.head_dim)
        output = torch.matmul(scores, xv)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output)
