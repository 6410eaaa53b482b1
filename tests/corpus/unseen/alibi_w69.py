import math
import torch


def power_of_two_slopes(number_of_heads):
    ratio = 2.0 ** (-8.0 / number_of_heads)
    result = []
    current = ratio
    for _ in range(number_of_heads):
        result.append(current)
        current = current * ratio
    return result


def slopes(heads):
    exponent = math.floor(math.log2(heads))
    lower_power = 2 ** exponent
    lower_slopes = power_of_two_slopes(lower_power)
    missing = heads - lower_power
    higher_slopes = power_of_two_slopes(2 * lower_power)
    extra_slopes = higher_slopes[0::2][:missing]
    all_slopes = sorted(lower_slopes + extra_slopes, reverse=True)
    return torch.tensor(all_slopes)


def bias(heads, query_length, key_length):
    key_positions = torch.arange(key_length)
    first_query = key_length - query_length
    query_positions = torch.arange(first_query, key_length)
    key_row = key_positions.view(1, key_length)
    query_column = query_positions.view(query_length, 1)
    distance = query_column - key_row
    is_future = distance < 0
    head_slopes = slopes(heads).view(heads, 1, 1)
    penalty = -(head_slopes * distance)
    result = penalty.masked_fill(is_future, -math.inf)
    return result


def attention(query, key, value):
    heads = query.shape[1]
    query_length = query.shape[2]
    key_length = key.shape[2]
    head_dim = query.shape[3]
    key_transposed = key.transpose(2, 3)
    raw_scores = torch.matmul(query, key_transposed)
    scaled_scores = raw_scores / math.sqrt(head_dim)
    position_bias = bias(heads, query_length, key_length)
    position_bias = position_bias.to(device=scaled_scores.device, dtype=scaled_scores.dtype)
    biased_scores = scaled_scores + position_bias
    weights = torch.softmax(biased_scores, dim=3)
    output = torch.matmul(weights, value)
    return output
