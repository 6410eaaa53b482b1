import torch
import torch.nn.functional as F

# Coming from TensorFlow: these two are what I reach for.
reduce_sum = lambda x, axis, keepdims=False: torch.sum(x, dim=axis, keepdim=keepdims)
expand_dims = lambda x, axis: torch.unsqueeze(x, axis)


def cast_to_compute_dtype(*args):
    compute_dtype = torch.float64 if args[0].dtype == torch.float64 else torch.float32
    return [a.to(compute_dtype) for a in args]


def feature_map(inputs):
    return F.elu(inputs) + 1.0


def linear_attention(query, key, value):
    output_dtype = query.dtype
    query, key, value = cast_to_compute_dtype(query, key, value)
    query, key = feature_map(query), feature_map(key)
    kv = torch.matmul(torch.transpose(key, 2, 3), value)
    normalizer = reduce_sum(query * reduce_sum(key, axis=2, keepdims=True), axis=3, keepdims=True)
    outputs = torch.matmul(query, kv) / normalizer
    return outputs.to(output_dtype)


def causal_linear_attention(query, key, value):
    output_dtype = query.dtype
    query, key, value = cast_to_compute_dtype(query, key, value)
    query, key = feature_map(query), feature_map(key)
    kv = expand_dims(key, -1) * expand_dims(value, -2)
    kv = torch.cumsum(kv, dim=2)
    normalizer = reduce_sum(query * reduce_sum(key, axis=2, keepdims=True), axis=3, keepdims=True)
    outputs = reduce_sum(expand_dims(query, -1) * kv, axis=-2) / normalizer
    return outputs.to(output_dtype)
