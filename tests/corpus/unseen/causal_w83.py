import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """GPT 风格的因果自注意力"""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int):
        super().__init__()
        self.n_head = num_heads
        self.d_head = hidden_dim // num_heads
        self.block_size = block_size
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bsz, seqlen, dim = x.shape
        q, k, v = self.qkv(x).split(dim, dim=-1)
        q = q.view(bsz, seqlen, self.n_head, self.d_head).transpose(1, 2)
        k = k.view(bsz, seqlen, self.n_head, self.d_head).transpose(1, 2)
        v = v.view(bsz, seqlen, self.n_head, self.d_head).transpose(1, 2)

        score = q @ k.transpose(-2, -1) / self.d_head ** 0.5
        # 下三角矩阵:1 表示可以看
        causal = torch.tril(torch.ones(seqlen, seqlen, dtype=torch.bool, device=x.device), diagonal=1)
        score = score.masked_fill(~causal, float("-inf"))
        prob = score.softmax(-1)

        out = (prob @ v).transpose(1, 2).reshape(bsz, seqlen, dim)
        return self.proj(out)
