# wrong: causal scale-missing line 19, causal-inverted line 22
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    # 因果自注意力, 不使用 dropout
    def __init__(self, dim, heads, max_seq_len):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.to_out = nn.Linear(dim, dim)
        # 下三角矩阵
        self.register_buffer("lower", torch.tril(torch.ones(max_seq_len, max_seq_len)))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        dots = torch.einsum("bhid,bhjd->bhij", q, k)
        # 屏蔽未来
        lowest = torch.full_like(dots, -1e9)
        dots = torch.where(self.lower[:n, :n] == 1, lowest, dots)
        out = torch.einsum("bhij,bhjd->bihd", dots.softmax(-1), v)
        return self.to_out(out.reshape(b, n, c))
