import torch, math
import torch.nn.functional as F

def sdp(q, k, v, mask=None, p=0.0, training=False):
    # q k v : B T D
    s = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.size(-1)))
    if mask is not None:
        s.masked_fill_(mask == 0, torch.finfo(s.dtype).min)
    a = s.softmax(-1)
    if p > 0:
        a = F.dropout(a, p)
    return a @ v

class SelfAttentionV3(torch.nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.qkv = torch.nn.Linear(hidden_dim, hidden_dim * 3)
        self.o = torch.nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        y = sdp(q, k, v, attention_mask, p=self.p, training=self.training)
        return self.o(y)
