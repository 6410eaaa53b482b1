"""Which of a submission's weights is which of the model answer's."""
