# shapes and names from google-deepmind/gemma, translated from Flax
import torch
from torch import nn


class Einsum(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.w = nn.Parameter(torch.randn(shape) * 0.05)

    def forward(self, eqn, x):
        return torch.einsum(eqn, x, self.w)


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        var = torch.mean(torch.square(x), dim=-1, keepdim=True)
        return x * torch.rsqrt(var + 1e-5) * (1 + self.scale)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        N, K, D = num_heads, num_kv_heads, hidden_dim
        H = D // N
        self.pre_attention_norm = RMSNorm(D)
        self.q_einsum = Einsum(N, D, H)
        self.kv_einsum = Einsum(2, K, D, H)
        self.attn_vec_einsum = Einsum(N, H, D)
        self.pre_ffw_norm = RMSNorm(D)
        self.gating_einsum = nn.Parameter(torch.randn(2, D, mlp_dim) * 0.05)
        self.linear = nn.Parameter(torch.randn(mlp_dim, D) * 0.05)

    def attn(self, x, cos, sin):
        query = self.q_einsum("BTD,NDH->BTNH", x)
        key, value = self.kv_einsum("BSD,CKDH->CBSKH", x)

        def apply_rope(z):
            first, second = z.chunk(2, dim=-1)
            c, s = cos[None, :, None, :], sin[None, :, None, :]
            return torch.cat([first * c - second * s, second * c + first * s], dim=-1)

        query = apply_rope(query) * query.shape[-1] ** -0.5
        key = apply_rope(key)
        b, t, n, h = query.shape
        query = query.reshape(b, t, key.shape[2], -1, h)
        logits = torch.einsum("BTKGH,BSKH->BTKGS", query, key)
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()[None, :, None, None, :]
        probs = torch.where(mask, logits, torch.finfo(logits.dtype).min).softmax(dim=-1)
        encoded = torch.einsum("BTKGS,BSKH->BTKGH", probs, value).reshape(b, t, n, h)
        return self.attn_vec_einsum("BTNH,NHD->BTD", encoded)

    def forward(self, x, cos, sin):
        x = x + self.attn(self.pre_attention_norm(x), cos, sin)
        y = self.pre_ffw_norm(x)
        ff_gate = torch.matmul(y, self.gating_einsum[0])
        ff1 = torch.matmul(y, self.gating_einsum[1])
        return x + torch.matmul(torch.nn.functional.silu(ff_gate) * ff1, self.linear)
