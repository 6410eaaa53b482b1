# attn-kata: mha
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Parameter


class MultiHeadAttention(nn.Module):
    """Multi-headed attention, the bmm way: time x batch x channel inside, as in fairseq 0.6."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1, bias=True):
        super().__init__()
        self.embed_dim = hidden_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = hidden_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"
        self.scaling = self.head_dim**-0.5
        self.in_proj_weight = Parameter(torch.Tensor(3 * hidden_dim, hidden_dim))
        if bias:
            self.in_proj_bias = Parameter(torch.Tensor(3 * hidden_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        if self.in_proj_bias is not None:
            nn.init.constant_(self.in_proj_bias, 0.0)
            nn.init.constant_(self.out_proj.bias, 0.0)

    def in_proj_q(self, query):
        return self._in_proj(query, end=self.embed_dim)

    def in_proj_k(self, key):
        return self._in_proj(key, start=self.embed_dim, end=2 * self.embed_dim)

    def in_proj_v(self, value):
        return self._in_proj(value, start=2 * self.embed_dim)

    def _in_proj(self, input, start=0, end=None):
        weight = self.in_proj_weight[start:end, :]
        bias = self.in_proj_bias
        if bias is not None:
            bias = bias[start:end]
        return F.linear(input, weight, bias)

    def _shape(self, tensor, length, bsz):
        return tensor.contiguous().view(length, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(self, x, attention_mask=None):
        x = x.transpose(0, 1)
        tgt_len, bsz, embed_dim = x.size()
        q = self._shape(self.in_proj_q(x) * self.scaling, tgt_len, bsz)
        k = self._shape(self.in_proj_k(x), tgt_len, bsz)
        v = self._shape(self.in_proj_v(x), tgt_len, bsz)

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        assert list(attn_weights.size()) == [bsz * self.num_heads, tgt_len, tgt_len]
        if attention_mask is not None:
            attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, tgt_len)
            attn_weights = attn_weights.masked_fill(attention_mask.eq(0), torch.finfo(q.dtype).min)
            attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, tgt_len)

        low = attn_weights.dtype in (torch.float16, torch.bfloat16)
        attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.float32 if low else None).type_as(attn_weights)
        attn_weights = F.dropout(attn_weights, p=self.dropout, training=self.training)

        attn = torch.bmm(attn_weights, v)
        assert list(attn.size()) == [bsz * self.num_heads, tgt_len, self.head_dim]
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn).transpose(0, 1)
