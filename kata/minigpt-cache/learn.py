"""The steps of the lesson on minigpt-cache, each after its `# %%`; the last makes the picture."""

# %% a model of one block
import torch

torch.manual_seed(2)
table, places = torch.randn(6, 8), torch.randn(16, 8)
to_query, to_key, to_value = torch.randn(3, 8, 8) * 0.6
counted = []


def model(tokens, cache=None):
    past_key, past_value = cache or (table[:0], table[:0])
    start, length = len(past_key), len(tokens)
    counted.append(length)
    x = table[tokens] + places[start : start + length]
    key = torch.cat([past_key, x @ to_key])
    value = torch.cat([past_value, x @ to_value])
    seen = torch.ones(length, len(key)).tril(start)
    scores = (x @ to_query @ key.T / 8**0.5).masked_fill(seen == 0, -1e9)
    logits = (x + scores.softmax(-1) @ value) @ table.T
    return logits, (key, value)


# %% text without the cache
text = [3, 1, 4, 1]
for _ in range(3):
    logits, _ = model(torch.tensor(text))
    text.append(logits[-1].argmax().item())
print(text, counted, sum(counted))

# %% text with it
counted.clear()
again, fed, cache = [3, 1, 4, 1], [3, 1, 4, 1], None
for _ in range(3):
    logits, cache = model(torch.tensor(fed), cache)
    fed = [logits[-1].argmax().item()]
    again += fed
print(again, counted, sum(counted))

# %% the proof is in the logits
whole, _ = model(torch.tensor(text[:6]))
pieces, cache = [], None
for piece in (text[:2], text[2:3], text[3:6]):
    logits, cache = model(torch.tensor(piece), cache)
    pieces.append(logits)
print(torch.allclose(torch.cat(pieces), whole, atol=1e-5))

# %% picture
picture = torch.ones(3, 6, dtype=torch.int64).tril(3)
rows = ("query 3", "query 4", "query 5")
columns = tuple(f"key {i}" for i in range(6))
