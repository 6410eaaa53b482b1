"""The steps of the lesson on the attention module, each after its `# %%`; the last part draws."""

# %% two queries, three keys, the scores of one head
import torch

torch.set_printoptions(precision=2)
scores = torch.tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
print(scores.softmax(-1))

# %% True hides: the last key is padding, as nn.MultiheadAttention says it
padding = torch.tensor([False, False, True])
masked = scores.masked_fill(padding, float("-inf"))
print(masked.softmax(-1))

# %% F.scaled_dot_product_attention wants the same said the other way round
keep = ~padding
print(keep)

# %% floats are added: -inf hides, other numbers push
bias = torch.tensor([[0.0, 0.0, 0.0], [2.0, 0.0, float("-inf")]])
print((scores + bias).softmax(-1))

# %% whatever either of two masks hides is hidden
both = (scores + bias).masked_fill(padding, float("-inf"))
print(both.softmax(-1))

# %% a second head, and the average that is handed back
other = torch.tensor([[0.0, 3.0, 0.0], [0.0, 3.0, 0.0]])
stacked = torch.stack([scores, other])
heads = stacked.masked_fill(padding, float("-inf")).softmax(-1)
average = heads.mean(0)
print(average)
print(average.sum(-1))

# %% averaged too early: each head's values get the same weights
values = torch.tensor([[[1.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]]])
print((heads @ values)[:, 0].flatten())
print((average @ values)[:, 0].flatten())

# %% picture
picture = torch.cat([heads[0], heads[1], average])
rows = [f"{name} {row}" for name in ("head 0", "head 1", "average") for row in (0, 1)]
columns = ["key 0", "key 1", "padding"]
