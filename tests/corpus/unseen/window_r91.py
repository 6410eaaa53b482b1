import math
import torch


class Band:
    """tiles of queries, each with the stretch of keys that some of its queries see"""

    def __init__(self, length, window, tile=24):
        self.length, self.window, self.tile = length, window, tile

    def __iter__(self):
        for lo in range(0, self.length, self.tile):
            hi = min(lo + self.tile, self.length)
            yield lo, hi, max(0, lo - self.window + 1)

    def hidden(self, lo, hi, first, device):
        i = torch.arange(lo, hi, device=device).view(-1, 1)
        j = torch.arange(first, hi, device=device).view(1, -1)
        return torch.logical_or(j > i, j <= i - self.window)


def window_attention(query, key, value, window):
    b, h, n, d = query.shape
    q, k, v = (t.flatten(0, 1) for t in (query, key, value))
    band = Band(n, window)
    rows = []
    for lo, hi, first in band:
        s = torch.bmm(q[:, lo:hi], k[:, first:hi].mT) / math.sqrt(d)
        s = torch.where(band.hidden(lo, hi, first, s.device), torch.finfo(s.dtype).min, s)
        rows.append(torch.bmm(s.softmax(dim=2), v[:, first:hi]))
    return torch.cat(rows, dim=1).unflatten(0, (b, h))


if __name__ == "__main__":
    x = torch.randn(1, 1, 6, 4)
    assert torch.allclose(window_attention(x, x, x, 1), x)
    for row in range(6):
        print("".join(" 1" if row - 3 < j <= row else " ." for j in range(6)))
