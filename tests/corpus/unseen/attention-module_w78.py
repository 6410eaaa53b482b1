import torch, math
import torch.nn as nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0., bias=True):
        super(MultiheadAttention, self).__init__()
        assert embed_dim % num_heads == 0
        self.nh = num_heads
        self.hd = embed_dim // num_heads
        self.WQ = nn.Linear(embed_dim, embed_dim, bias)
        self.WK = nn.Linear(embed_dim, embed_dim, bias)
        self.WV = nn.Linear(embed_dim, embed_dim, bias)
        self.WO = nn.Linear(embed_dim, embed_dim, bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bs = query.shape[0]
        Q = self.WQ(query).view(bs, -1, self.nh, self.hd).transpose(1, 2)   # [B,H,T,d]
        K = self.WK(key).view(bs, -1, self.nh, self.hd).transpose(1, 2)     # [B,H,S,d]
        V = self.WV(value).view(bs, -1, self.nh, self.hd).transpose(1, 2)

        energy = torch.matmul(Q, K.permute(0, 1, 3, 2)) / math.sqrt(self.hd)

        if attn_mask is not None:
            am = attn_mask if attn_mask.dim() == 2 else attn_mask.reshape(bs, self.nh, *attn_mask.shape[1:])
            if am.dtype == torch.bool:
                energy = energy.masked_fill(am, float('-inf'))
            else:
                energy = energy + am
        if key_padding_mask is not None:
            pad = key_padding_mask.unsqueeze(1).unsqueeze(3)
            energy = energy.masked_fill(pad, float('-inf'))

        attention = torch.softmax(energy, dim=-1)
        x = torch.matmul(self.drop(attention), V)
        x = x.permute(0, 2, 1, 3).contiguous().view(bs, -1, self.nh * self.hd)
        x = self.WO(x)
        if not need_weights:
            return x, None
        if average_attn_weights:
            attention = attention.mean(dim=1)
        return x, attention
