import torch, torch.nn as nn, torch.nn.functional as F


class MultiheadAttention(nn.Module):
    """my take on nn.MultiheadAttention; params named like torch's own"""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=True):
        super().__init__()
        assert batch_first and embed_dim % num_heads == 0
        self.E, self.H, self.p = embed_dim, num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.register_parameter("in_proj_bias", nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _inputs(self, *xs):
        ws = self.in_proj_weight.tensor_split(3)
        bs = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.tensor_split(3)
        for x, w, b in zip(xs, ws, bs):
            yield F.linear(x, w, b).unflatten(-1, (self.H, -1)).movedim(2, 0)  # h b l d

    @staticmethod
    def _additive(m, like):
        if m.dtype == torch.bool:
            return torch.zeros(m.shape, dtype=like.dtype, device=like.device).masked_fill(m, float("-inf"))
        return m.to(like.dtype)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        q, k, v = self._inputs(query, key, value)
        s = torch.einsum("hbtd,hbsd->hbts", q, k).div(q.size(-1) ** 0.5)
        if attn_mask is not None:
            a = self._additive(attn_mask, s)
            if a.ndim == 3:
                a = a.unflatten(0, (-1, self.H)).transpose(0, 1)  # (b h) t s -> h b t s
            s = s + a
        if key_padding_mask is not None:
            s = s + self._additive(key_padding_mask, s)[None, :, None, :]
        w = F.dropout(torch.softmax(s, dim=-1), self.p, training=self.training)
        y = self.out_proj(torch.cat(tuple(w @ v), dim=-1))
        if not need_weights:
            return y, None
        return y, (w.mean(0) if average_attn_weights else w.transpose(0, 1))
