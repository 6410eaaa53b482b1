import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.init import constant_, xavier_uniform_


class SelfAttentionV2(nn.Module):
    def __init__(self, embed_dim, bias=True, batch_first=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.in_proj_weight = nn.Parameter(torch.empty((3 * embed_dim, embed_dim)))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.empty(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self._reset_parameters()

    def _reset_parameters(self):
        xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)

    def forward(self, src):
        E = src.size(-1)
        proj = F.linear(src, self.in_proj_weight, self.in_proj_bias)
        # a copy of the packed projection, (3, B, T, E)
        proj = proj.unflatten(-1, (3, E)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        q, k, v = proj[0], proj[1], proj[2]
        attn = torch.softmax(torch.bmm(q / E**0.5, k.transpose(-2, -1)), dim=-1)
        return self.out_proj(torch.bmm(attn, v))
