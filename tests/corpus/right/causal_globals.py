# right: causal
import torch
import torch.nn as nn
import torch.nn.functional as F

# ---- hyperparameters ----
d_model = 32
n_heads = 4
ctx = 16
dropout = 0.2
# -------------------------
torch.manual_seed(1337)


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn_q = nn.Linear(d_model, d_model, bias=False)
        self.attn_k = nn.Linear(d_model, d_model, bias=False)
        self.attn_v = nn.Linear(d_model, d_model, bias=False)
        self.mix = nn.Linear(d_model, d_model)
        self.register_buffer("tri", torch.ones(ctx, ctx).tril() == 0)

    def forward(self, idx):
        B, T, C = idx.shape
        hs = C // n_heads
        q = self.attn_q(idx).reshape(B, T, n_heads, hs).swapaxes(1, 2)
        k = self.attn_k(idx).reshape(B, T, n_heads, hs).swapaxes(1, 2)
        v = self.attn_v(idx).reshape(B, T, n_heads, hs).swapaxes(1, 2)
        a = (q @ k.swapaxes(2, 3) / hs**0.5).masked_fill(self.tri[:T, :T], float("-inf"))
        a = F.dropout(F.softmax(a, -1), dropout, self.training)
        return self.mix((a @ v).swapaxes(1, 2).reshape(B, T, C))
