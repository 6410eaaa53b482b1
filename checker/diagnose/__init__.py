"""Why an answer is wrong: the mistake, and the line that it is made on."""
