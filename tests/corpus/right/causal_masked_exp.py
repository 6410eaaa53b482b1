# right: causal
# softmax by hand; the future is cut off after exp and the sum is taken over what is left
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("past", torch.tril(torch.ones(block_size, block_size, dtype=torch.bool)))

    def forward(self, x):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.nh, self.hs).transpose(1, 2)
        k = self.wk(x).view(b, t, self.nh, self.hs).transpose(1, 2)
        v = self.wv(x).view(b, t, self.nh, self.hs).transpose(1, 2)
        s = q @ k.transpose(2, 3) / math.sqrt(self.hs)
        past = self.past[:t, :t]
        # the running maximum over the past only, so that nothing over- or underflows
        top = torch.where(past, s, s.diagonal(dim1=2, dim2=3).unsqueeze(-1)).amax(-1, keepdim=True)
        e = torch.exp((s - top).masked_fill(~past, 0.0)) * past
        w = e / e.sum(-1, keepdim=True)
        y = (w @ v).transpose(1, 2).reshape(b, t, -1)
        return self.wo(y)
