# right: gated-linear
import torch
import torch.nn.functional as F




def gated_step(query, key, value, gate, state):
    keep = torch.exp(-F.softplus(-gate) * 0.0625)
    state = torch.mul(state, keep.view(*keep.shape, 1, 1)).addcmul(key.unsqueeze(3), value.unsqueeze(2))
    return torch.matmul(state.transpose(-1, -2), query.unsqueeze(-1)).squeeze(-1), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    batch, heads, length, dim = query.shape
    result = value.new_empty(batch, heads, length, value.shape[-1])
    loga = (-F.softplus(-gate.float()) * 0.0625) if gate.dtype.itemsize < 4 else -F.softplus(-gate) * 0.0625
    n_chunks = (length + chunk_size - 1) // chunk_size
    for c in range(n_chunks):
        lo, hi = c * chunk_size, min((c + 1) * chunk_size, length)
        L = torch.cumsum(loga[:, :, lo:hi], dim=2)
        n = hi - lo
        rel = L.view(batch, heads, n, 1) - L.view(batch, heads, 1, n)
        causal = torch.arange(n, device=L.device)
        rel = torch.where(causal[:, None] >= causal[None, :], rel, rel.new_tensor(-1e9))
        attn = torch.einsum("bhid,bhjd->bhij", query[:, :, lo:hi], key[:, :, lo:hi]) * rel.exp().to(query.dtype)
        intra = torch.einsum("bhij,bhjv->bhiv", attn, value[:, :, lo:hi])
        inter = torch.einsum("bhid,bhdv,bhi->bhiv", query[:, :, lo:hi], state, L.exp().to(query.dtype))
        result[:, :, lo:hi] = intra + inter
        tail = torch.exp(L[:, :, -1:] - L).to(query.dtype)
        state = state * torch.exp(L[:, :, -1]).to(query.dtype)[..., None, None] + torch.einsum(
            "bhj,bhjd,bhjv->bhdv", tail, key[:, :, lo:hi], value[:, :, lo:hi])
    return result, state
