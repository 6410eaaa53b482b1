import torch, torch.nn as nn, torch.nn.functional as F

class SelfAttentionV3(nn.Module):
    def __init__(s, hidden_dim, dropout=.1):
        super().__init__()
        s.p = dropout
        s.w = nn.ParameterDict({n: nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -.5) for n in 'qkvo'})

    def forward(s, x, attention_mask=None):
        q, k, v = (F.linear(x, s.w[n]) for n in 'qkv')
        a = torch.einsum('nid,njd->nij', q, k) * x.shape[-1] ** -.5
        if attention_mask is not None:
            a = torch.where(attention_mask.bool(), a, torch.finfo(a.dtype).min)
        a = F.dropout(a.softmax(-1), s.p, s.training)
        return F.linear(a @ v, s.w['o'])
