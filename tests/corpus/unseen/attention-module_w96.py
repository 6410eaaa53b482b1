import torch
from torch import nn


def additive(mask, dtype):
    """True means hidden: turn bools into 0 and -inf."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.d = embed_dim // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (
            nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4)
        )
        self.p = nn.Dropout(dropout)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ):
        b, t, c = query.shape
        s = key.size(1)
        q = self.Wq(query).view(b, t, self.h, self.d)
        k = self.Wk(key).view(b, s, self.h, self.d)
        v = self.Wv(value).view(b, s, self.h, self.d)
        logits = torch.einsum("bthd,bshd->bhts", q, k) * self.d**-0.5

        key_padding_mask = additive(key_padding_mask, logits.dtype)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.reshape(b, self.h, t, s)
            logits = logits + attn_mask
        if key_padding_mask is not None:
            logits = logits + key_padding_mask.view(b, 1, 1, s)

        w = logits.softmax(dim=-1)
        out = torch.einsum("bhts,bshd->bthd", self.p(w), v).reshape(b, t, c)
        out = self.Wo(out)
        if not need_weights:
            return out, None
        if average_attn_weights:
            w = w.mean(dim=1)
        return out, w
