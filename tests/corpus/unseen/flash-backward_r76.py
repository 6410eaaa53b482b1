import torch


def _tiles(n, step):
    return zip(range(0, n, step), range(step, n + step, step))


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    """Keys tile by tile. With causal, only the queries from the tile's first key on take part."""
    half = query.dtype.itemsize < 4
    up = (lambda t: t.float()) if half else (lambda t: t)
    b, h, n, d = query.shape
    q, k, v, o, l, do = (up(t).reshape(b * h, n, -1) for t in (query, key, value, output, lse, grad_output))
    q_scaled = q / d**0.5
    # minus D, kept as a column: the start value of dO.V^T - D
    minus_d = torch.bmm(o.unsqueeze(-2).flatten(0, 1), do.unsqueeze(-1).flatten(0, 1)).view(b * h, n, 1).neg()
    dq, dk, dv = torch.zeros_like(q), [], []
    for a, e in _tiles(n, block_size):
        e = min(e, n)
        start = a if causal else 0
        rows = n - start
        kt, vt = k.narrow(1, a, e - a), v.narrow(1, a, e - a)
        qt, got = q_scaled.narrow(1, start, rows), do.narrow(1, start, rows)
        logp = torch.baddbmm(l.narrow(1, start, rows), qt, kt.transpose(1, 2), beta=-1)
        if causal:  # relative to the tile's first key the mask is the same for every tile
            seen = logp.new_ones(rows, e - a).tril().bool()
            logp = logp.masked_fill(~seen, float("-inf"))
        p = logp.exp()
        dv.append(torch.bmm(p.transpose(1, 2), got))
        ds = torch.baddbmm(minus_d.narrow(1, start, rows), got, vt.transpose(1, 2)).mul(p)
        dk.append(torch.bmm(ds.transpose(1, 2), qt))
        dq.narrow(1, start, rows).baddbmm_(ds, kt, alpha=d**-0.5)
    result = dq, torch.cat(dk, 1), torch.cat(dv, 1)
    return tuple(g.view(s.shape).to(query.dtype) for g, s in zip(result, (query, key, value)))
