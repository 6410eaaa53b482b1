# right: attention-module
import torch, math
from torch import nn

class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.Wq = nn.Linear(embed_dim, embed_dim, bias=False)
        self.Wk = nn.Linear(embed_dim, embed_dim, bias=False)
        self.Wv = nn.Linear(embed_dim, embed_dim, bias=False)
        self.Wo = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, q, k, v, kpm=None, need_weights=True, mask=None, avg=True):
        B, T, E = q.shape
        S, D = k.shape[1], E // self.nh
        Q = self.Wq(q).view(B, T, self.nh, D).transpose(1, 2)
        K = self.Wk(k).view(B, S, self.nh, D).transpose(1, 2)
        V = self.Wv(v).view(B, S, self.nh, D).transpose(1, 2)
        att = Q @ K.transpose(-2, -1) * (1.0 / math.sqrt(D))
        m = torch.zeros(1, 1, T, S, dtype=att.dtype, device=att.device)
        if mask is not None:
            if mask.dtype == torch.bool:
                mask = torch.where(mask, torch.tensor(float('-inf'), dtype=att.dtype, device=att.device), torch.zeros((), dtype=att.dtype, device=att.device))
            m = m + (mask.view(B, self.nh, T, S) if mask.dim() == 3 else mask)
        if kpm is not None:
            m = m.masked_fill(kpm.view(B, 1, 1, S), float('-inf')) if m.shape[0] == B else m.expand(B, -1, -1, -1).masked_fill(kpm.view(B, 1, 1, S), float('-inf'))
        att = (att + m).softmax(dim=-1)
        y = self.Wo((att @ V).transpose(1, 2).contiguous().view(B, T, E))
        if need_weights:
            if avg: att = att.mean(dim=1)
            return y, att
        return y, None
