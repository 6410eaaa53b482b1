import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        d = embed_dim // num_heads
        self.num_heads = num_heads
        self.wq = nn.Parameter(torch.randn(num_heads, embed_dim, d) / embed_dim**0.5)
        self.wk = nn.Parameter(torch.randn(num_heads, embed_dim, d) / embed_dim**0.5)
        self.wv = nn.Parameter(torch.randn(num_heads, embed_dim, d) / embed_dim**0.5)
        self.wo = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = dropout

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        n, t, e = query.shape
        q = torch.einsum("bte,hed->bhtd", query, self.wq)
        k = torch.einsum("bse,hed->bhsd", key, self.wk)
        v = torch.einsum("bse,hed->bhsd", value, self.wv)
        logits = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        neg_inf = torch.tensor(float("-inf"), dtype=logits.dtype, device=logits.device)
        if attn_mask is not None:
            m = attn_mask.view(n, self.num_heads, t, -1) if attn_mask.dim() > 2 else attn_mask
            logits = torch.where(m, neg_inf, logits) if m.dtype == torch.bool else logits + m
        if key_padding_mask is not None:
            logits = torch.where(key_padding_mask[:, None, None], neg_inf, logits)
        weights = torch.softmax(logits, -1)
        dropped = torch.dropout(weights, self.dropout, self.training)
        context = torch.einsum("bhts,bhsd->bhtd", dropped, v)
        output = self.wo(context.reshape(n, t, e))
        if not need_weights:
            weights = None
        elif average_attn_weights:
            weights = weights.mean(dim=1)
        return output, weights
