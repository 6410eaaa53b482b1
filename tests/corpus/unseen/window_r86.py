# longformer-like: queries come in blocks of `window`, each looks at its block and the one before it
import torch


def _blocks(t, size, count):
    b, h, n, d = t.shape
    out = t.new_zeros(b, h, count * size, d)
    out = torch.cat([t, out[:, :, n:]], dim=2)
    return out.view(b, h, count, size, d)


def window_attention(query, key, value, window):
    n, d = query.shape[-2:]
    size = min(window, n)
    count = -(-n // size)
    q, k, v = (_blocks(t, size, count) for t in (query, key, value))

    def with_previous(t):
        previous = torch.cat([torch.zeros_like(t[:, :, :1]), t[:, :, :-1]], dim=2)
        return torch.cat([previous, t], dim=3)           # b h count 2*size d

    k2, v2 = with_previous(k), with_previous(v)
    s = q @ k2.mT / d**0.5                               # b h count size 2*size
    i = torch.arange(size, device=query.device)[:, None]
    j = torch.arange(2 * size, device=query.device)[None, :] - size
    ok = (j <= i) & (j > i - window)
    first = torch.arange(count, device=query.device)[:, None, None] * size + j >= 0
    s = s.masked_fill(~(ok & first), float("-inf"))
    o = s.softmax(-1) @ v2
    return o.flatten(2, 3)[:, :, :n]
