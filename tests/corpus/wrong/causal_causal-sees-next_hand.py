# wrong: causal causal-sees-next line 24
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """マスク付き自己注意（デコーダ用）"""

    def __init__(self, dim, n_heads, max_len):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.max_len = max_len
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = (f(x).unflatten(-1, (self.n_heads, self.head_dim)).transpose(1, 2) for f in (self.q, self.k, self.v))
        logits = torch.einsum('nhic,nhjc->nhij', q, k) / self.head_dim ** 0.5
        pos = torch.arange(t, device=x.device)
        future = pos[None, :] > pos[:, None] + 1
        logits = logits.masked_fill(future, float('-inf'))
        out = torch.einsum('nhij,nhjc->nhic', logits.softmax(-1), v)
        return self.o(out.transpose(1, 2).flatten(-2))
