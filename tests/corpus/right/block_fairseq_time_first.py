# right: block
import torch
import torch.nn as nn
import torch.nn.functional as F


def _fill_with_neg_inf(t):
    """FP16-compatible function that fills a tensor with (almost) -inf."""
    return t.fill_(torch.finfo(t.dtype).min)


class SelfAttn(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.in_proj_weight = nn.Parameter(torch.Tensor(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.Tensor(3 * embed_dim))
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=True)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.constant_(self.in_proj_bias, 0.)

    def _in_proj(self, x, start=0, end=None):
        return F.linear(x, self.in_proj_weight[start:end], self.in_proj_bias[start:end])

    def forward(self, x):
        tgt_len, bsz, embed_dim = x.size()
        q = self._in_proj(x, end=embed_dim)
        k = self._in_proj(x, start=embed_dim, end=2 * embed_dim)
        v = self._in_proj(x, start=2 * embed_dim)

        def fold(t):
            return t.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)

        q, k, v = fold(q), fold(k), fold(v)
        mask = torch.triu(_fill_with_neg_inf(q.new_empty(tgt_len, tgt_len)), 1)
        weights = torch.baddbmm(mask.expand(q.size(0), -1, -1), q, k.transpose(1, 2), alpha=self.scaling)
        weights = F.softmax(weights, dim=-1)
        attn = torch.bmm(weights, v)
        assert list(attn.size()) == [bsz * self.num_heads, tgt_len, self.head_dim]
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.self_attn = SelfAttn(hidden_dim, num_heads)
        self.self_attn_layer_norm = nn.LayerNorm(hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, hidden_dim * 4)
        self.fc2 = nn.Linear(hidden_dim * 4, hidden_dim)
        self.final_layer_norm = nn.LayerNorm(hidden_dim)
        self.normalize_before = True

    def maybe_layer_norm(self, layer_norm, x, before=False, after=False):
        assert before ^ after
        if after ^ self.normalize_before:
            return layer_norm(x)
        else:
            return x

    def forward(self, x):
        x = x.transpose(0, 1)       # T x B x C
        residual = x
        x = self.maybe_layer_norm(self.self_attn_layer_norm, x, before=True)
        x = self.self_attn(x)
        x = residual + x
        x = self.maybe_layer_norm(self.self_attn_layer_norm, x, after=True)

        residual = x
        x = self.maybe_layer_norm(self.final_layer_norm, x, before=True)
        x = F.gelu(self.fc1(x))
        x = self.fc2(x)
        x = residual + x
        x = self.maybe_layer_norm(self.final_layer_norm, x, after=True)
        return x.transpose(0, 1)
