# right: v2
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.init import xavier_uniform_, zeros_


class PackedSelfAttention(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * embed_dim))
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.reset_parameters()

    def reset_parameters(self):
        xavier_uniform_(self.in_proj_weight)
        zeros_(self.in_proj_bias)

    def forward(self, query):
        q, k, v = F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        q = q / (q.size(-1) ** 0.5)
        return self.out_proj(torch.bmm(F.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1), v))
