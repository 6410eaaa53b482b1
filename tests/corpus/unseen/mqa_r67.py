import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """Shazeer 2019, section 3, nearly letter by letter.

    P_q: [h, d, k]   P_k: [d, k]   P_v: [d, v]   P_o: [h, d, v]
    """

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        h, d, k = num_heads, hidden_dim, hidden_dim // num_heads
        v = k
        shapes = {"P_o": (h, d, v), "P_v": (d, v), "P_k": (d, k), "P_q": (h, d, k)}
        self.P = nn.ParameterDict(
            {name: nn.Parameter(torch.randn(*s) * d**-0.5) for name, s in shapes.items()}
        )

    def forward(self, X, attention_mask=None):
        P_q, P_k, P_v, P_o = (self.P[n] for n in ("P_q", "P_k", "P_v", "P_o"))
        M = X
        Q = torch.einsum("bnd,hdk->bhnk", X, P_q * P_q.shape[-1] ** -0.5)
        K = torch.einsum("bmd,dk->bmk", M, P_k)
        V = torch.einsum("bmd,dv->bmv", M, P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K)
        if attention_mask is not None:
            mask = torch.zeros_like(attention_mask, dtype=logits.dtype)
            mask = mask.masked_fill(attention_mask == 0, -float("inf"))
            logits = logits + mask
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        weights = (logits - logits.logsumexp(-1, keepdim=True)).exp().to(V.dtype)
        O = torch.einsum("bhnm,bmv->bhnv", weights, V)
        return torch.einsum("bhnv,hdv->bnd", O, P_o)
