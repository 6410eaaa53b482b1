import torch
import torch.nn.functional as F

NEG_INF = float("-inf")


class PartialSoftmax:
    def __init__(self, out, lse):
        self.out, self.lse = out, lse

    @classmethod
    def stack(cls, parts):
        return cls(torch.stack([p.out for p in parts]), torch.stack([p.lse for p in parts]))

    def combine(self):
        m = self.lse.max(dim=0, keepdim=True).values
        m = m.masked_fill(m == NEG_INF, 0.0)
        w = (self.lse - m).exp()
        z = w.sum(dim=0)
        lse = z.log()
        w = w / z.masked_fill(z == 0, 1.0)
        return PartialSoftmax(torch.einsum("sbhq,sbhqv->bhqv", w, self.out), lse)


def chunk_attention(query, key, value, seen):
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    s = torch.where(seen[:, None, None], s, NEG_INF)
    lse = torch.logsumexp(s, dim=-1)
    p = F.softmax(s, dim=-1).nan_to_num(nan=0.0)
    return p @ value, lse


def merge(outputs, lses):
    whole = PartialSoftmax(outputs, lses).combine()
    return whole.out, whole.lse


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    index = torch.arange(n, device=key.device)
    parts = []
    for piece in torch.tensor_split(index, splits):
        if piece.numel() == 0:
            continue
        seen = piece[None, :] < lengths[:, None]
        parts.append(PartialSoftmax(*chunk_attention(query, key[:, :, piece], value[:, :, piece], seen)))
    return PartialSoftmax.stack(parts).combine().out
