import torch
import torch.nn.functional as F

NEG = float("-inf")


def _core(q, k, v, seen):
    """q (..., Q, D), k (..., C, D), v (..., C, E), seen broadcasts to (..., 1, C)."""
    s = torch.matmul(q, k.transpose(-1, -2)).float() if q.dtype in (torch.half, torch.bfloat16) else q @ k.mT
    s = s.mul_(q.shape[-1] ** -0.5).masked_fill_(~seen, NEG)
    m = s.amax(-1, keepdim=True).clamp_(min=torch.finfo(s.dtype).min)
    p = s.sub_(m).exp_()
    z = p.sum(-1, keepdim=True)
    lse = z.log().add_(m).squeeze(-1)
    o = torch.matmul(p.div_(z.clamp_min(torch.finfo(s.dtype).tiny)).to(v.dtype), v)
    return o, lse


def chunk_attention(query, key, value, seen):
    return _core(query, key, value, seen[:, None, None, :])


def merge(outputs, lses):
    m = lses.amax(0, keepdim=True).clamp_(min=torch.finfo(lses.dtype).min)
    w = (lses - m).exp_()
    z = w.sum(0)
    lse = z.log() + m.squeeze(0)
    w /= z.clamp_min(torch.finfo(w.dtype).tiny)
    o = torch.einsum("sbhq,sbhqe->bhqe", w, outputs.to(w.dtype)).to(outputs.dtype)
    return o, lse


def split_k_attention(query, key, value, lengths, splits):
    B, H, K, D = key.shape
    C = -(-K // splits)
    pad = C * splits - K
    k = F.pad(key, (0, 0, 0, pad)).view(B, H, splits, C, D)
    v = F.pad(value, (0, 0, 0, pad)).view(B, H, splits, C, value.size(-1))
    idx = torch.arange(splits * C, device=key.device).view(splits, 1, C)
    seen = idx < lengths.to(key.device).view(B, 1, 1, 1, 1)
    o, lse = _core(query.unsqueeze(2), k, v, seen)
    return merge(o.movedim(2, 0), lse.movedim(2, 0))[0]
