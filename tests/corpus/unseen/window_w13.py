# attn-kata: window
import torch


def window_attention(query, key, value, window):
    length, dim = query.shape[2], query.shape[3]
    out = []
    for i in range(length):
        hi = i + 1
        lo = hi - window
        k = key[:, :, lo:hi]
        v = value[:, :, lo:hi]
        s = query[:, :, i : i + 1] @ k.transpose(2, 3)
        p = torch.softmax(s * dim ** -0.5, dim=-1)
        out.append(p @ v)
    return torch.cat(out, dim=2)
