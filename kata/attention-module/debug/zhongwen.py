import torch
from torch import nn


class MyMultiheadAttention(nn.Module):
    # 接口和 nn.MultiheadAttention 一样，batch 在前
    def __init__(self, d_model, n_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = n_heads
        self.d = d_model // n_heads
        self.wq = nn.Linear(d_model, d_model, bias)
        self.wk = nn.Linear(d_model, d_model, bias)
        self.wv = nn.Linear(d_model, d_model, bias)
        self.wo = nn.Linear(d_model, d_model, bias)

    def fen_tou(self, x):
        # (B, L, E) 拆成 (B, h, L, d)
        return x.unflatten(2, (self.h, self.d)).swapaxes(1, 2)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        q = self.fen_tou(self.wq(query))
        k = self.fen_tou(self.wk(key))
        v = self.fen_tou(self.wv(value))
        fenshu = q @ k.mT / self.d ** 0.5

        # 先把两种 bool mask 合在一起，浮点的直接加上
        bukejian = torch.zeros_like(fenshu, dtype=torch.bool)
        if key_padding_mask is not None:
            bukejian = bukejian | key_padding_mask[:, None, None]
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                attn_mask = attn_mask.reshape(-1, self.h, *attn_mask.shape[-2:])
            if attn_mask.dtype == torch.bool:
                bukejian = bukejian | attn_mask
            else:
                fenshu = fenshu + attn_mask
        fenshu = fenshu.masked_fill(bukejian, float("-inf"))

        # 减去每行的最大值再取 exp
        zuida = fenshu.max(dim=-1, keepdim=True).values
        fenzi = (fenshu - zuida).exp()
        quan = fenzi / fenzi.sum(dim=-1, keepdim=True)
        hebing = (quan @ v).swapaxes(1, 2).flatten(2)
        shuchu = self.wo(hebing)
        if not need_weights:
            return shuchu, None
        if average_attn_weights:
            return shuchu, quan.sum(dim=1) / self.h
        return shuchu, quan
