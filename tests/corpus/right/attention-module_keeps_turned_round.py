# right: attention-module
# Thinks in "may attend": turns both masks round at the door.
import torch
from torch import nn


def attend(q, k, v, keep, bias, dropout):
    scores = torch.matmul(q, k.transpose(-1, -2)) / (q.shape[-1] ** 0.5)
    if bias is not None:
        scores = scores + bias
    if keep is not None:
        scores = scores.masked_fill(~keep, -1e9 if scores.dtype != torch.float16 else -6e4)
    probs = torch.softmax(scores.float(), dim=-1).to(q.dtype) if scores.dtype in (
        torch.float16, torch.bfloat16) else scores.softmax(-1)
    return torch.matmul(dropout(probs), v), probs


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.h = num_heads
        self.linears = nn.ModuleList(
            [nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4)]
        )
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        n = query.size(0)
        q, k, v = [
            lin(x).view(n, -1, self.h, x.size(-1) // self.h).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        keep, bias = None, None
        if attn_mask is not None:
            if attn_mask.dim() == 2:
                attn_mask = attn_mask[None].expand(n * self.h, -1, -1)
            attn_mask = attn_mask.reshape(n, self.h, q.size(2), k.size(2))
            if attn_mask.dtype == torch.bool:
                keep = torch.logical_not(attn_mask)
            else:
                bias = attn_mask
        if key_padding_mask is not None:
            real = ~key_padding_mask.view(n, 1, 1, -1)
            keep = real if keep is None else keep & real
        x, probs = attend(q, k, v, keep, bias, self.dropout)
        x = x.transpose(1, 2).contiguous().view(n, -1, self.h * q.size(-1))
        x = self.linears[-1](x)
        if need_weights and average_attn_weights:
            return x, probs.mean(dim=1)
        return (x, probs) if need_weights else (x, None)
