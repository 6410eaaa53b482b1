import torch
from torch import nn, Tensor


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        d = self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * d, bias=False)
        self.wk = nn.Linear(hidden_dim, d, bias=False)
        self.wv = nn.Linear(hidden_dim, d, bias=False)
        self.wo = nn.Linear(num_heads * d, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask=None) -> Tensor:
        b, t, _ = x.shape
        xq = self.wq(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x)
        xv = self.wv(x)

        scores = xq @ xk.transpose(-2, -1) * (self.head_dim**-0.5)
        if attention_mask is not None:
            scores = torch.where(attention_mask != 0, scores, torch.finfo(scores.dtype).min)
        probs = scores.softmax(dim=-1)
        ctx = probs @ xv  # (b, h, t, d)
        return self.wo(ctx.transpose(1, 2).flatten(2))
