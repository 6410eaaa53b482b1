# attn-kata: v2
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Parameter


class SelfAttentionV2(nn.Module):
    """after fairseq/modules/multihead_attention.py, embed_dim wide, one head"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.embed_dim = hidden_dim
        self.scaling = self.embed_dim**-0.5
        self.in_proj_weight = Parameter(torch.Tensor(3 * self.embed_dim, self.embed_dim))
        self.in_proj_bias = Parameter(torch.Tensor(3 * self.embed_dim))
        self.out_proj = nn.Linear(self.embed_dim, self.embed_dim, bias=True)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.constant_(self.in_proj_bias, 0.0)
        nn.init.constant_(self.out_proj.bias, 0.0)

    def in_proj_qkv(self, query):
        return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)

    def forward(self, x):
        tgt_len, bsz, embed_dim = x.size()
        q, k, v = self.in_proj_qkv(x)
        q = q * self.scaling

        q, k, v = (t.contiguous().transpose(0, 1) for t in (q, k, v))
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        assert list(attn_weights.size()) == [bsz, tgt_len, tgt_len]
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn = torch.bmm(attn_weights, v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn)
