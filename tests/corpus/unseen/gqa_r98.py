# Dims:  B batch, T query time, S key time, D model, N query heads, K kv heads,
#        G query heads for each kv head (N == K * G), H head width
import torch
from torch import nn


def _normal(*shape, fan_in):
    return nn.Parameter(torch.randn(*shape) * fan_in**-0.5)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        D, N, K = hidden_dim, num_heads, num_kv_heads
        H = D // N
        self.K, self.G, self.H = K, N // K, H
        self.q_einsum_w = _normal(D, N, H, fan_in=D)
        self.k_einsum_w = _normal(D, K, H, fan_in=D)
        self.v_einsum_w = _normal(D, K, H, fan_in=D)
        self.o_einsum_w = _normal(N, H, D, fan_in=D)

    def forward(self, x, attention_mask=None):
        q = torch.einsum("BTD,DNH->BTNH", x, self.q_einsum_w)
        k = torch.einsum("BSD,DKH->BSKH", x, self.k_einsum_w)
        v = torch.einsum("BSD,DKH->BSKH", x, self.v_einsum_w)

        q = q.unflatten(2, (self.K, self.G)) * self.H**-0.5
        logits = torch.einsum("BTKGH,BSKH->BKGTS", q, k)

        if attention_mask is not None:
            if attention_mask.shape[1] == 1:
                m = attention_mask[:, :, None]                          # B11TS or B111S
            else:
                m = attention_mask.unflatten(1, (self.K, self.G))       # BKGTS
            big_neg = torch.finfo(logits.dtype).min
            logits = torch.where(m.bool(), logits, big_neg)

        probs = torch.softmax(logits, dim=-1)
        encoded = torch.einsum("BKGTS,BSKH->BTKGH", probs, v).flatten(2, 3)
        return torch.einsum("BTNH,NHD->BTD", encoded, self.o_einsum_w)
