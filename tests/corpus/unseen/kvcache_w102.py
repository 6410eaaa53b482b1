import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.d_head = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.d_head)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, self.d_head)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, self.d_head)

        start_pos = 0
        if cache is not None:
            old_k, old_v = cache
            start_pos = old_k.shape[1]
            xk = torch.cat((old_k, xk), dim=1)
            xv = torch.cat((old_v, xv), dim=1)

        scores = torch.einsum("bqhd,bkhd->bhqk", xq, xk) / self.d_head**0.5
        if seqlen > 1 and start_pos == 0:
            mask = torch.full((seqlen, seqlen), float("-inf"), dtype=x.dtype, device=x.device)
            mask = torch.hstack([mask.new_zeros(seqlen, start_pos), mask.triu(1)])
            scores = scores + mask
        out = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), xv)
        return self.wo(out.reshape(bsz, seqlen, -1)), (xk, xv)
