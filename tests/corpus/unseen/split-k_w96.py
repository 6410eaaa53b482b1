import torch


def chunk_attention(query, key, value, seen):
    s = torch.einsum("bhid,bhjd->bhij", query, key) * query.shape[-1] ** -0.5
    dead = seen.logical_not()[:, None, None, :]
    s = s.masked_fill(dead, float("-inf"))
    m = s.amax(-1, keepdim=True)
    m = torch.where(m.isinf(), 0, m)
    e = torch.exp(s - m)
    z = e.sum(-1, keepdim=True)
    out = torch.einsum("bhij,bhjv->bhiv", e, value) / torch.where(z == 0, 1, z)
    return out, (m + torch.log(z)).squeeze(-1)


def merge(outputs, lses):
    peak = lses.max(dim=0).values
    peak = torch.where(peak == float("-inf"), 0, peak)
    w = torch.exp(lses - peak)
    z = w.sum(0)
    mixed = torch.einsum("sbhi,sbhiv->bhiv", w, outputs)
    mixed = mixed / torch.where(z == 0, 1, z)[..., None]
    return mixed, torch.log(z)


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    at = torch.arange(n, device=key.device)
    pieces = [
        chunk_attention(query, key[:, :, i], value[:, :, i], i[None, :] < lengths[:, None])
        for i in at.tensor_split(splits)
        if i.numel() > 0
    ]
    outs, lses = zip(*pieces)
    return merge(torch.stack(outs), torch.stack(lses))[0]
