from functools import reduce
import torch

NEG = float("-inf")


def chunk_attention(q, k, v, seen):
    dim = q.shape[-1]
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / dim ** 0.5
    s = torch.where(seen[:, None, None], s, torch.full_like(s, NEG))
    if s.shape[-1] == 0:
        return q.new_zeros(*q.shape[:-1], v.shape[-1]), q.new_full(q.shape[:-1], NEG)
    top = s.amax(-1, keepdim=True)
    safe = torch.where(top == NEG, torch.zeros_like(top), top)
    e = (s - safe).exp()
    total = e.sum(-1, keepdim=True)
    out = torch.einsum("bhqk,bhkd->bhqd", e, v) / torch.where(total == 0, torch.ones_like(total), total)
    return out, (safe + total.log()).squeeze(-1)


def _two(left, right):
    (o1, l1), (o2, l2) = left, right
    l = torch.logaddexp(l1, l2)
    dead = l == NEG
    w1 = torch.where(dead, torch.zeros_like(l), (l1 - l).exp())
    w2 = torch.where(dead, torch.zeros_like(l), (l2 - l).exp())
    return o1 * w1.unsqueeze(-1) + o2 * w2.unsqueeze(-1), l


def merge(outputs, lses):
    return reduce(_two, zip(outputs.unbind(), lses.unbind()))


def split_k_attention(q, k, v, lengths, splits):
    n = k.size(2)
    ids = torch.arange(n, device=k.device)
    parts = [
        chunk_attention(q, k[:, :, i], v[:, :, i], i[None] < lengths[:, None])
        for i in torch.tensor_split(ids, splits) if len(i)
    ]
    return merge(*map(torch.stack, zip(*parts)))[0]
