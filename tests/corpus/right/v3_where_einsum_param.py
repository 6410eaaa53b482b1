# right: v3
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    # All four matrices live in one (4d, d) parameter: W[:d] makes q, then k, v and the output.
    def __init__(self, dim, p=0.1):
        super().__init__()
        self.d, self.p = dim, p
        self.W = nn.Parameter(torch.empty(4 * dim, dim))
        for block in self.W.data.split(dim):
            nn.init.orthogonal_(block)

    def forward(self, x, attention_mask=None):
        w_q, w_k, w_v, w_o = self.W.split(self.d, dim=0)
        s = torch.einsum("btd,qd,qe,bse->bts", x, w_q / self.d**0.5, torch.eye(self.d, dtype=x.dtype, device=x.device), F.linear(x, w_k))
        if attention_mask is not None:
            s = s.where(attention_mask > 0, s.new_tensor(float("-inf")))
        a = F.dropout(F.softmax(s, -1), self.p, self.training)
        return torch.einsum("bts,bsd,vd,ov->bto", a, x, w_v, w_o)
