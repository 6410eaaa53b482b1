import torch, torch.nn as nn
from torch.nn.functional import dropout as drop, linear


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h, self.d, self.p = num_heads, embed_dim // num_heads, dropout
        mk = lambda: nn.Parameter(nn.init.xavier_uniform_(torch.empty(embed_dim, embed_dim)))
        self.wq, self.wk, self.wv, self.wo = mk(), mk(), mk(), mk()
        zero = lambda: nn.Parameter(torch.zeros(embed_dim)) if bias else None
        self.bq, self.bk, self.bv, self.bo = zero(), zero(), zero(), zero()

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        (b, t, e), s, h, d = query.shape, key.shape[1], self.h, self.d
        # everything below is (b * h, ., .), as attn_mask comes
        fold = lambda z: z.reshape(b, -1, h, d).transpose(1, 2).reshape(b * h, -1, d)
        q = fold(linear(query, self.wq, self.bq))
        k = fold(linear(key, self.wk, self.bk))
        v = fold(linear(value, self.wv, self.bv))

        bias = torch.zeros(b * h, t, s, dtype=q.dtype, device=q.device)
        if attn_mask is not None:
            extra = attn_mask.expand(b * h, t, s)
            bias = bias.masked_fill(extra, -torch.inf) if extra.dtype == torch.bool else bias + extra
        if key_padding_mask is not None:
            pad = key_padding_mask.repeat(h, 1)[:, None]
            bias = bias.masked_fill(pad, -torch.inf)

        a = torch.baddbmm(bias, q, k.mT, alpha=d ** -0.5).softmax(-1)
        y = torch.bmm(drop(a, self.p, self.training), v)
        y = linear(y.view(b, h, t, d).transpose(1, 2).reshape(b, t, e), self.wo, self.bo)
        a = a.view(b, h, t, s)
        return y, (a.mean(1) if average_attn_weights else a) if need_weights else None
