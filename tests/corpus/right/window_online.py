# right: window
"""Key by key back in time, with a running maximum and sum."""
import torch


def window_attention(query, key, value, window):
    q = query / query.shape[-1] ** 0.5
    length = q.shape[2]
    top = (q * key).sum(-1, keepdim=True)
    total = torch.ones_like(top)
    out = value
    for back in range(1, min(window, length)):
        # positions back .. length - 1 look at 0 .. length - 1 - back
        s = (q[:, :, back:] * key[:, :, :-back]).sum(-1, keepdim=True)
        new = torch.maximum(top[:, :, back:], s)
        old, fresh = (top[:, :, back:] - new).exp(), (s - new).exp()
        out = torch.cat(
            [out[:, :, :back], out[:, :, back:] * old + value[:, :, :-back] * fresh], dim=2
        )
        total = torch.cat([total[:, :, :back], total[:, :, back:] * old + fresh], dim=2)
        top = torch.cat([top[:, :, :back], new], dim=2)
    return out / total
