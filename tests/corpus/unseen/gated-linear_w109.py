import torch
import torch.nn as nn
import torch.nn.functional as F


def band_part(n, device):
    # as tf.linalg.band_part(ones, -1, 0)
    return torch.ones((n, n), device=device).tril().bool()


def transpose_to_scan(x, num_chunks):
    # (B, H, N*C, ...) -> (N, B, H, C, ...)
    x = x.reshape(x.shape[0], x.shape[1], num_chunks, -1, *x.shape[3:])
    return x.moveaxis(2, 0)


class ChunkCell:
    """The body of the scan: (state, inputs) -> (state, outputs)."""

    def __init__(self, chunk_size, device):
        self.mask = band_part(chunk_size, device)

    def __call__(self, state, inputs):
        q, k, v, g = inputs
        log_decay = torch.cumsum(nn.LogSigmoid()(g.double()) / 16.0, dim=-1)
        relative = log_decay[..., :, None] - log_decay[..., None, :]
        relative = torch.where(self.mask, relative, float("-inf"))
        weights = torch.matmul(q, k.transpose(-2, -1)) * torch.exp(relative).to(q.dtype)
        outputs = torch.matmul(weights, v)
        outputs = outputs + torch.matmul(q * torch.exp(log_decay)[..., None].to(q.dtype), state)
        end = log_decay[..., -1:]
        scaled_k = k * torch.exp(end - log_decay)[..., None].to(k.dtype)
        state = torch.exp(end)[..., None].to(q.dtype) * state + torch.matmul(scaled_k.transpose(-2, -1), v)
        return state, outputs


def scan(cell, state, xs):
    outputs = []
    for inputs in zip(*xs):
        state, y = cell(state, inputs)
        outputs.append(y)
    return state, torch.stack(outputs, dim=2)


def gated_step(query, key, value, gate, state):
    compute = torch.promote_types(query.dtype, torch.float32)
    keep = torch.exp(nn.LogSigmoid()(gate.to(compute)) / 16.0)
    outer = torch.matmul(key.to(compute)[..., None], value.to(compute)[..., None, :])
    new_state = keep[..., None, None] * state.to(compute) + outer
    row = torch.matmul(query.to(compute)[..., None, :], new_state)
    return row[..., 0, :].to(query.dtype), new_state.to(query.dtype)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    compute = torch.promote_types(query.dtype, torch.float32)
    length = query.shape[2]
    chunk_size = min(chunk_size, length)
    num_chunks = (length + chunk_size - 1) // chunk_size
    extra = num_chunks * chunk_size - length

    paddings = [0, 0, 0, extra]
    q, k, v = [F.pad(x.to(compute), paddings) for x in (query, key, value)]
    g = F.pad(gate.to(compute), [0, extra])

    xs = [transpose_to_scan(x, num_chunks) for x in (q, k, v, g)]
    final_state, ys = scan(ChunkCell(chunk_size, query.device), state.to(compute), xs)
    output = ys.flatten(2, 3)[:, :, :length]
    return output.to(query.dtype), final_state.to(query.dtype)
