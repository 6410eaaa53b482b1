"""The steps of the lesson on cross, each after its `# %%`; the last part makes the picture."""

# %% a table of who asks whom
import torch

torch.set_printoptions(precision=2)
torch.manual_seed(3)
target = torch.randn(2, 4)
source = torch.randn(3, 4)
print((target @ source.T).shape)

# %% one row of weights for each target position
weights = (target @ source.T / 4**0.5).softmax(dim=-1)
print(weights)
print(weights.sum(dim=-1))

# %% what comes out is as long as what asked
values = torch.tensor([[10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
print((weights @ values).shape)

# %% two lengths in the split
batch, heads = 1, 2
keys = source.view(batch, 3, heads, 2).transpose(1, 2)
queries = target.view(batch, 2, heads, 2).transpose(1, 2)
print((queries @ keys.transpose(-2, -1)).shape)

# %% padding belongs to the source
mask = torch.tensor([[1, 1, 0]])
hidden = mask[:, None, None, :] == 0
scores = queries @ keys.transpose(-2, -1) / 2**0.5
print(scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)[0, 0])

# %% picture
picture = weights
rows = ("target 0", "target 1")
columns = ("source 0", "source 1", "source 2")
