import torch


class FlashBackward:
    def __init__(self, block_size: int, causal: bool):
        self.block = block_size
        self.causal = causal

    def bounds(self, n: int):
        return [(s, min(s + self.block, n)) for s in range(0, n, self.block)]

    def weights(self, q, k, lse, i0, j0):
        exponent = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5 - lse.unsqueeze(-1)
        if self.causal:
            i = torch.arange(i0, i0 + q.shape[-2], device=q.device)
            j = torch.arange(j0, j0 + k.shape[-2], device=q.device)
            exponent = exponent.masked_fill(j.unsqueeze(0) > i.unsqueeze(1), float("-inf"))
        return exponent.exp()

    def __call__(self, query, key, value, output, lse, grad_output):
        scale = query.shape[-1] ** -0.5
        delta = (output * grad_output).sum(-1, keepdim=True)
        grad_query = torch.zeros_like(query)
        grad_key = torch.zeros_like(key)
        grad_value = torch.zeros_like(value)
        for i0, i1 in self.bounds(query.shape[-2]):
            q, do = query[..., i0:i1, :], grad_output[..., i0:i1, :]
            dq = torch.zeros_like(q)
            for j0, j1 in self.bounds(key.shape[-2]):
                if self.causal and j0 >= i1:
                    break
                k, v = key[..., j0:j1, :], value[..., j0:j1, :]
                p = self.weights(q, k, lse[..., i0:i1], i0, j0)
                ds = p * (do @ v.transpose(-2, -1) - delta[..., i0:i1, :]) * scale
                dq = dq + ds @ k
                grad_key[..., j0:j1, :] = ds.transpose(-2, -1) @ q
                grad_value[..., j0:j1, :] = p.transpose(-2, -1) @ do
            grad_query[..., i0:i1, :] = dq
        return grad_query, grad_key, grad_value


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    kind = query.dtype
    wide = torch.float64 if kind == torch.float64 else torch.float32
    args = [t.to(wide) for t in (query, key, value, output, lse, grad_output)]
    grads = FlashBackward(block_size, causal)(*args)
    return tuple(g.to(kind) for g in grads)
