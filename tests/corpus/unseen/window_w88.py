import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    B, H, L, D = query.shape
    ones = torch.ones(L, L, device=query.device)
    lower = torch.tril(ones)
    upper = torch.triu(ones, diagonal=1 - window)
    band = lower & upper
    att = torch.einsum('bhid,bhjd->bhij', query, key) * (D ** -0.5)
    att = att.masked_fill(band == 0, torch.finfo(att.dtype).min)
    return torch.einsum('bhij,bhjd->bhid', F.softmax(att, -1), value)
