# fairseq-ish: everything functional, one in_proj matrix, weights cut out of it by rows
import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.embed_dim = hidden_dim
        self.dropout_p = dropout
        self.scaling = hidden_dim**-0.5
        self.in_proj_weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * hidden_dim))
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.constant_(self.in_proj_bias, 0.0)
        nn.init.constant_(self.out_proj.bias, 0.0)

    def _in_proj(self, inp, start=0, end=None):
        weight = self.in_proj_weight[start:end, :]
        bias = self.in_proj_bias[start:end]
        return F.linear(inp, weight, bias)

    def in_proj_q(self, x):
        return self._in_proj(x, end=self.embed_dim) * self.scaling

    def in_proj_k(self, x):
        return self._in_proj(x, start=self.embed_dim, end=2 * self.embed_dim)

    def in_proj_v(self, x):
        return self._in_proj(x, start=2 * self.embed_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.in_proj_q(x), self.in_proj_k(x), self.in_proj_v(x)
        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if attention_mask is not None:
            hidden = attention_mask.eq(0)
            attn_weights = attn_weights.masked_fill(hidden, torch.finfo(attn_weights.dtype).min)
        attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.promote_types(x.dtype, torch.float32)).type_as(attn_weights)
        attn_weights = F.dropout(attn_weights, p=self.dropout_p, training=self.training)
        return self.out_proj(torch.bmm(attn_weights, v))
