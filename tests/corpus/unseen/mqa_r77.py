# The shared key projection goes over to the query's side, the shared value projection behind the
# mean: x itself is what all heads read. (x Wq_h)(x Wk)' = (x Wq_h Wk') x'
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads, self.head_dim = num_heads, hidden_dim // num_heads
        assert self.heads * self.head_dim == hidden_dim
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, self.head_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.to_q(x).reshape(b, t, self.heads, self.head_dim)
        lifted = torch.matmul(q, self.to_k.weight).permute(0, 2, 1, 3)      # (b, h, t, c)
        dots = torch.einsum("bhic,bjc->bhij", lifted, x) * self.head_dim ** -0.5
        if attention_mask is not None:
            dots = dots.masked_fill(attention_mask.eq(0), -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)
        mean = torch.einsum("bhij,bjc->bihc", attn, x)
        # rows of attn add up to 1, so the bias of to_v may be added after the mean
        return self.to_out(self.to_v(mean).reshape(b, t, c))
