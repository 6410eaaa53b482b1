# Rückwärtsgang von FlashAttention, kachelweise über die Schlüssel
import math

import torch


class Kachel:
    def __init__(self, von, bis, k, v):
        self.von, self.bis = von, bis
        self.k = k[:, :, von:bis]
        self.v = v[:, :, von:bis]

    def verdeckt(self, laenge):
        zeile = torch.arange(laenge, device=self.k.device).unsqueeze(1)
        spalte = torch.arange(self.von, self.bis, device=self.k.device)
        return spalte > zeile


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    typ = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(typ), key.to(typ), value.to(typ)
    do = grad_output.to(typ)
    laenge = q.size(2)
    faktor = 1 / math.sqrt(q.size(3))
    d = (do * output.to(typ)).sum(-1, keepdim=True)
    lse = lse.to(typ).unsqueeze(-1)

    dq = torch.zeros_like(q)
    dk, dv = [], []
    for von in range(0, laenge, block_size):
        kachel = Kachel(von, min(von + block_size, laenge), k, v)
        s = torch.matmul(q, kachel.k.transpose(2, 3)) * faktor
        p = torch.exp(s - lse)
        dp = torch.matmul(do, kachel.v.transpose(2, 3))
        ds = p * (dp - d) * faktor
        if causal:
            p = p.masked_fill(kachel.verdeckt(laenge), 0.0)
        dv.append(torch.matmul(p.transpose(2, 3), do))
        dk.append(torch.matmul(ds.transpose(2, 3), q))
        dq += torch.matmul(ds, kachel.k)

    dk, dv = torch.cat(dk, dim=2), torch.cat(dv, dim=2)
    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
