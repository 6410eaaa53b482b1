# right: attention-module
import torch
import torch.nn as nn


class MHA(nn.Module):
    """Raw parameters per head, einsum all the way."""

    def __init__(self, d_model, n_heads, p=0.0):
        super().__init__()
        d = d_model // n_heads
        self.wq = nn.Parameter(torch.randn(n_heads, d_model, d) * d_model**-0.5)
        self.wk = nn.Parameter(torch.randn(n_heads, d_model, d) * d_model**-0.5)
        self.wv = nn.Parameter(torch.randn(n_heads, d_model, d) * d_model**-0.5)
        self.wo = nn.Parameter(torch.randn(n_heads, d, d_model) * d_model**-0.5)
        self.drop = nn.Dropout(p)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        q = torch.einsum("bte,hed->bhtd", query, self.wq)
        k = torch.einsum("bse,hed->bhsd", key, self.wk)
        v = torch.einsum("bse,hed->bhsd", value, self.wv)
        logits = torch.einsum("bhtd,bhsd->bhts", q, k).div(q.size(-1) ** 0.5)
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                attn_mask = attn_mask.unflatten(0, (q.size(0), q.size(1)))
            if attn_mask.dtype == torch.bool:
                logits = torch.where(attn_mask, -torch.inf, logits)
            else:
                logits = logits + attn_mask
        if key_padding_mask is not None:
            logits = torch.where(key_padding_mask[:, None, None, :], -torch.inf, logits)
        a = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
        y = torch.einsum("bhts,bhsd,hde->bte", self.drop(a), v, self.wo)
        w = None
        if need_weights:
            w = torch.einsum("bhts->bts", a) / a.size(1) if average_attn_weights else a
        return y, w
