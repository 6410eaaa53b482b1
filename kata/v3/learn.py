"""The steps of the lesson on v3, each after its `# %%`; the last part makes the picture."""

# %% zero after softmax
import torch

torch.set_printoptions(precision=2)
scores = torch.tensor([[0.0, 1.0, 2.0]])
mask = torch.tensor([[True, True, False]])
late = scores.softmax(dim=-1) * mask
print(scores.softmax(dim=-1))
print(late, late.sum())

# %% minus infinity before it
masked = scores.masked_fill(~mask, float("-inf"))
weights = masked.softmax(dim=-1)
print(weights, weights.sum())
changed = torch.tensor([[0.0, 1.0, 9.0]]).masked_fill(~mask, float("-inf"))
print(torch.equal(changed.softmax(dim=-1), weights))

# %% a padding mask for a batch
real = torch.tensor([[1, 1, 1], [1, 1, 0]])
attention_mask = real[:, None, :].expand(-1, 3, -1)
print(attention_mask[1])

# %% a row with nothing to see
nothing = torch.full((1, 3), float("-inf"))
print(nothing.softmax(dim=-1))
lowest = torch.finfo(torch.float32).min
print(torch.full((1, 3), lowest).softmax(dim=-1))

# %% dropout on the weights
torch.manual_seed(0)
dropout = torch.nn.Dropout(0.5)
print(dropout(torch.full((1, 8), 0.125)))
dropped = dropout(torch.full((10000, 8), 0.125))
print(round(dropped.sum(dim=-1).mean().item(), 1))

# %% picture
picture = torch.cat([late, weights])
rows, columns = ("after", "before"), ("key 0", "key 1", "hidden")
