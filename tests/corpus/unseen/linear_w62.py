import torch
import torch.nn.functional as F

BLOCK = 32


def phi(x):
    return F.elu(x.to(torch.promote_types(x.dtype, torch.float32))) + 1


def linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    v = value.to(k.dtype)
    s = torch.einsum("bnkd,bnkv->bndv", k, v)
    z = k.sum(2)
    return (torch.einsum("bnqd,bndv->bnqv", q, s) / torch.einsum("bnqd,bnd->bnq", q, z).unsqueeze(-1)).to(value.dtype)


def causal_linear_attention(query, key, value):
    """Blocks of positions: a prefix sum inside the block, the state carried from block to block."""
    q, k = phi(query), phi(key)
    v = value.to(k.dtype)
    s_carry = k.new_zeros(*k.shape[:2], 1, k.shape[3], v.shape[3])
    z_carry = k.new_zeros(*k.shape[:2], 1, k.shape[3])

    blocks = []
    for qb, kb, vb in zip(q.split(BLOCK, 2), k.split(BLOCK, 2), v.split(BLOCK, 2)):
        s = s_carry + torch.einsum("bnld,bnlv->bnldv", kb, vb).cumsum(2)
        z = z_carry + kb.cumsum(2)
        top = torch.einsum("bnld,bnldv->bnlv", qb, s)
        bottom = torch.einsum("bnld,bnld->bnl", qb, z)
        blocks.append(top / bottom.unsqueeze(-1))
        s_carry, z_carry = s[:, :, -1:], kb.sum(2, keepdim=True)
    return torch.cat(blocks, 2).to(value.dtype)
