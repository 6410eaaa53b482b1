# wrong: differential head-norm-without-gain line 20
# fair: head-norm-without-gain 21 54
import math
import torch
import torch.nn.functional as F
from torch import nn


def lambda_init_fn(depth):
    return 0.8 - 0.6 * math.exp(-0.3 * depth)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        out = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        out = out * torch.rsqrt(out.pow(2).mean(-1, keepdim=True) + self.eps)
        return out.type_as(x)


class MultiheadDiffAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, depth):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads // 2
        self.scaling = self.head_dim ** -0.5
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=False)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=False)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=False)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=False)
        self.lambda_init = lambda_init_fn(depth)
        self.lambda_q1 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lambda_k1 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lambda_q2 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.lambda_k2 = nn.Parameter(torch.zeros(self.head_dim).normal_(0, 0.1))
        self.subln = RMSNorm(2 * self.head_dim)

    def forward(self, x):
        bsz, n, _ = x.size()
        q = self.q_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2) * self.scaling
        k = self.k_proj(x).view(bsz, n, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, n, self.num_heads, 2 * self.head_dim).transpose(1, 2)
        attn = torch.matmul(q, k.transpose(-1, -2))
        attn = attn + torch.triu(torch.full((n, n), float("-inf"), dtype=attn.dtype, device=attn.device), 1)
        attn = F.softmax(attn, dim=-1)
        lambda_1 = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1, dim=-1))
        lambda_2 = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2, dim=-1))
        lam = lambda_1 - lambda_2 + self.lambda_init
        attn = attn.view(bsz, self.num_heads, 2, n, n)
        attn = attn[:, :, 0] - lam * attn[:, :, 1]
        out = self.subln(attn @ v) * (1 - self.lambda_init)
        return self.out_proj(out.transpose(1, 2).reshape(bsz, n, self.embed_dim))
