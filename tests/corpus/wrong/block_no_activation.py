# wrong: block activation-missing line 36
# fair: activation-missing 35
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.Wqkv = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, S, D = x.shape
        qkv = self.Wqkv(x).reshape(B, S, 3, self.n_head, D // self.n_head)
        q, k, v = qkv.unbind(dim=2)
        scores = torch.einsum("bthd,bshd->bhts", q, k / (D // self.n_head) ** 0.5)
        mask = torch.triu(torch.full((S, S), -10000.0, device=x.device), 1)
        attention = torch.softmax(scores + mask.to(scores.dtype), dim=-1)
        return self.out_proj(torch.einsum("bhts,bshd->bthd", attention, v).reshape(B, S, D))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_head, d_ff):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.attn = CausalAttention(d_model, n_head)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        hidden = self.linear1(self.norm2(x))
        return x + self.linear2(hidden)
