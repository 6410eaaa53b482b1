import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.alpha = hidden_dim**-0.5
        self.w_qkv = nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim))
        nn.init.xavier_uniform_(self.w_qkv)

    def forward(self, x):
        q, k, v = torch.tensor_split(x @ self.w_qkv, 3, dim=-1)
        nothing = x.new_zeros(1, 1, 1)
        # alpha * q @ k^T in one call; beta=0: `nothing` is not read
        logits = torch.baddbmm(nothing, q, k.mT, beta=0, alpha=self.alpha)
        return logits.softmax(-1).bmm(v)
