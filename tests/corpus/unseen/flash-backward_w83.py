# attn-kata: flash-backward
import math
import torch


class KeyTile:
    def __init__(self, key, value, start, stop):
        self.k, self.v = key[:, :, start:stop], value[:, :, start:stop]
        self.start, self.stop = start, stop

    def weights(self, q, lse, causal):
        s = torch.einsum("bhid,bhjd->bhij", q, self.k) / math.sqrt(q.shape[-1])
        if causal:
            i = torch.arange(q.shape[2], device=q.device)
            j = torch.arange(self.start, self.stop, device=q.device)
            s = s.masked_fill(j[None, :] > i[:, None], -math.inf)
        return (s - lse[..., None]).exp()

    def score_grad(self, p, do, o):
        dp = torch.einsum("bhie,bhje->bhij", do, self.v)
        d = (p * dp).sum(-1, keepdim=True)
        return p * (dp - d)


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    n, scale = query.shape[2], 1 / math.sqrt(query.shape[-1])
    dq, dks, dvs = torch.zeros_like(query), [], []
    for start in range(0, n, block_size):
        tile = KeyTile(key, value, start, min(n, start + block_size))
        p = tile.weights(query, lse, causal)
        ds = tile.score_grad(p, grad_output, output)
        dvs.append(torch.einsum("bhij,bhie->bhje", p, grad_output))
        dks.append(torch.einsum("bhij,bhid->bhjd", ds, query) * scale)
        dq += torch.einsum("bhij,bhjd->bhid", ds, tile.k) * scale
    return dq, torch.cat(dks, dim=2), torch.cat(dvs, dim=2)
