import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super(SelfAttentionV1, self).__init__()
        self.scale = hidden_dim**-0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.attend = nn.Softmax(dim=-1)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
        return torch.einsum("bij,bjd->bid", self.attend(dots), v)
