# wrong: window padding-not-masked line 23
import math
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    B, H, T, D = query.shape
    w = min(window, T)
    extra = -T % w
    q = F.pad(query, (0, 0, 0, extra)).view(B, H, -1, w, D)
    k = F.pad(key, (0, 0, 0, extra)).view(B, H, -1, w, D)
    v = F.pad(value, (0, 0, 0, extra)).view(B, H, -1, w, D)
    zero = torch.zeros_like(k[:, :, :1])
    k = torch.cat([torch.cat([zero, k[:, :, :-1]], dim=2), k], dim=3)
    v = torch.cat([torch.cat([zero, v[:, :, :-1]], dim=2), v], dim=3)
    place = torch.arange(T + extra, device=query.device).view(-1, w)
    before = torch.cat([torch.full_like(place[:1], -1), place[:-1]])
    others = torch.cat([before, place], dim=1)
    ok = (others[:, None, :] <= place[:, :, None]) & (others[:, None, :] > place[:, :, None] - window)
    ok = ok | (others[:, None, :] < 0)
    scores = q @ k.transpose(-1, -2) / math.sqrt(D)
    scores = scores.masked_fill(~ok, -1e9)
    out = scores.softmax(dim=-1) @ v
    return out.reshape(B, H, -1, D)[:, :, :T]
