# right: block
from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


class HookPoint(nn.Module):
    """Identity, so that someone can hang a hook on it."""

    def forward(self, x: Tensor) -> Tensor:
        return x


class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.w = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))
        self.hook_scale = HookPoint()
        self.hook_normalized = HookPoint()

    def forward(self, residual: Tensor) -> Tensor:
        residual = residual - residual.mean(-1, keepdim=True)
        scale = self.hook_scale((residual.pow(2).mean(-1, keepdim=True) + self.eps).sqrt())
        residual = self.hook_normalized(residual / scale)
        return residual * self.w + self.b


class Attention(nn.Module):
    IGNORE: Tensor

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        d_head = d_model // n_heads
        self.d_head = d_head
        self.W_Q = nn.Parameter(torch.empty((n_heads, d_model, d_head)))
        self.W_K = nn.Parameter(torch.empty((n_heads, d_model, d_head)))
        self.W_V = nn.Parameter(torch.empty((n_heads, d_model, d_head)))
        self.W_O = nn.Parameter(torch.empty((n_heads, d_head, d_model)))
        self.b_Q = nn.Parameter(torch.zeros((n_heads, d_head)))
        self.b_K = nn.Parameter(torch.zeros((n_heads, d_head)))
        self.b_V = nn.Parameter(torch.zeros((n_heads, d_head)))
        self.b_O = nn.Parameter(torch.zeros((d_model)))
        for w in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(w, std=0.02)
        self.register_buffer("IGNORE", torch.tensor(float("-inf")))
        self.hook_pattern = HookPoint()
        self.hook_z = HookPoint()

    def forward(self, normalized_resid_pre: Tensor) -> Tensor:
        q = torch.einsum("bpm,nmh->bpnh", normalized_resid_pre, self.W_Q) + self.b_Q
        k = torch.einsum("bpm,nmh->bpnh", normalized_resid_pre, self.W_K) + self.b_K
        v = torch.einsum("bpm,nmh->bpnh", normalized_resid_pre, self.W_V) + self.b_V

        attn_scores = torch.einsum("bqnh,bknh->bnqk", q, k)
        attn_scores = self.apply_causal_mask(attn_scores / self.d_head**0.5)
        pattern = self.hook_pattern(attn_scores.softmax(-1))
        z = self.hook_z(torch.einsum("bknh,bnqk->bqnh", v, pattern))
        return torch.einsum("bqnh,nhm->bqnm", z, self.W_O).sum(2) + self.b_O

    def apply_causal_mask(self, attn_scores: Tensor) -> Tensor:
        all_ones = torch.ones(attn_scores.size(-2), attn_scores.size(-1), device=attn_scores.device)
        mask = torch.triu(all_ones, diagonal=1).bool()
        attn_scores.masked_fill_(mask, self.IGNORE)
        return attn_scores


class MLP(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        d_mlp = 4 * d_model
        self.W_in = nn.Parameter(torch.empty((d_model, d_mlp)))
        self.b_in = nn.Parameter(torch.zeros((d_mlp)))
        self.W_out = nn.Parameter(torch.empty((d_mlp, d_model)))
        self.b_out = nn.Parameter(torch.zeros((d_model)))
        nn.init.normal_(self.W_in, std=0.02)
        nn.init.normal_(self.W_out, std=0.02)

    def forward(self, normalized_resid_mid: Tensor) -> Tensor:
        pre = normalized_resid_mid @ self.W_in + self.b_in
        post = nn.functional.gelu(pre)
        return post @ self.W_out + self.b_out


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.ln1 = LayerNorm(hidden_dim)
        self.attn = Attention(hidden_dim, num_heads)
        self.ln2 = LayerNorm(hidden_dim)
        self.mlp = MLP(hidden_dim)
        self.hook_resid_pre = HookPoint()
        self.hook_resid_mid = HookPoint()
        self.hook_resid_post = HookPoint()

    def forward(self, resid_pre: Tensor) -> Tensor:
        resid_pre = self.hook_resid_pre(resid_pre)
        resid_mid = self.hook_resid_mid(self.attn(self.ln1(resid_pre)) + resid_pre)
        return self.hook_resid_post(self.mlp(self.ln2(resid_mid)) + resid_mid)
