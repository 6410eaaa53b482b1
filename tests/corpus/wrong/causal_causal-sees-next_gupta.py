# wrong: causal causal-sees-next line 23
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, d_in, num_heads, context_length):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_in // num_heads
        self.wq = nn.Linear(d_in, d_in)
        self.wk = nn.Linear(d_in, d_in)
        self.wv = nn.Linear(d_in, d_in)

    def forward(self, x):
        B, T, D = x.shape
        q = self.wq(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        out = []
        for t in range(T):
            upto = min(t + 2, T)
            s = (q[:, :, t:t + 1] @ k[:, :, :upto].transpose(2, 3)) / self.head_dim ** 0.5
            out.append(F.softmax(s, dim=-1) @ v[:, :, :upto])
        return torch.cat(out, dim=2).transpose(1, 2).reshape(B, T, D)
