# right: flash-backward
import torch


@torch.no_grad()
def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    scale = query.size(-1) ** -0.5
    length = query.size(-2)
    grad_key = key.new_zeros(key.shape)
    grad_value = value.new_zeros(value.shape)
    grad_queries = []
    blocks = list(range(0, length, block_size))
    for row in blocks:
        q = query[..., row:row + block_size, :] * scale
        g = grad_output[..., row:row + block_size, :]
        o = output[..., row:row + block_size, :]
        norm = lse[..., row:row + block_size].unsqueeze(-1)
        delta = torch.einsum("bhtv,bhtv->bht", g, o).unsqueeze(-1)
        grad_q = torch.zeros_like(q)
        last_row = min(row + block_size, length) - 1
        for col in blocks:
            if causal and col > last_row:
                break
            k = key[..., col:col + block_size, :]
            v = value[..., col:col + block_size, :]
            s = q @ k.transpose(-2, -1)
            if causal:
                i = torch.arange(row, row + q.size(-2), device=q.device)
                j = torch.arange(col, col + k.size(-2), device=q.device)
                s = s.masked_fill(i[:, None] < j[None, :], -float("inf"))
            p = (s - norm).exp()
            ds = p * (g @ v.transpose(-2, -1) - delta)
            grad_value[..., col:col + block_size, :] += p.transpose(-2, -1) @ g
            # q already carries the scale
            grad_key[..., col:col + block_size, :] += ds.transpose(-2, -1) @ q
            grad_q += ds @ k
        grad_queries.append(grad_q * scale)
    return torch.cat(grad_queries, dim=-2), grad_key, grad_value
