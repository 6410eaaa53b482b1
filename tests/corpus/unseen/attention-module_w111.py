import torch
from torch import nn


class MultiheadAttention(nn.Module):
    """Heads side by side on the batch axis, as the TensorFlow code of the day had it."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.dense_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dense_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dense_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dense_o = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.rate = dropout

    def split_and_concat(self, t):
        # (N, T, C) -> (h*N, T, C/h)
        return torch.cat(torch.chunk(t, self.num_heads, dim=-1), dim=0)

    def mask(self, logits, attn_mask, key_padding_mask):
        # logits: (h*N, T_q, T_k)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_mask = torch.zeros_like(attn_mask, dtype=logits.dtype).masked_fill(attn_mask, float("-inf"))
            logits = logits + attn_mask
        if key_padding_mask is not None:
            tiled = key_padding_mask.repeat(self.num_heads, 1)
            logits = logits.masked_fill(tiled.unsqueeze(1), float("-inf"))
        return logits

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        Q_ = self.split_and_concat(self.dense_q(query))
        K_ = self.split_and_concat(self.dense_k(key))
        V_ = self.split_and_concat(self.dense_v(value))

        outputs = torch.bmm(Q_, K_.transpose(1, 2)) / K_.shape[-1] ** 0.5
        outputs = self.mask(outputs, attn_mask, key_padding_mask)
        align = torch.softmax(outputs, dim=-1)
        outputs = torch.bmm(nn.functional.dropout(align, self.rate, self.training), V_)
        outputs = torch.cat(torch.chunk(outputs, self.num_heads, dim=0), dim=2)
        outputs = self.dense_o(outputs)

        if not need_weights:
            return outputs, None
        align = torch.stack(torch.chunk(align, self.num_heads, dim=0), dim=1)   # (N, h, T_q, T_k)
        return outputs, align.mean(1) if average_attn_weights else align
