"""Words for what the judge says as data: each message's sentence, in English and Chinese.

Whoever shows a report puts it into words here, and nobody before. Imports neither torch nor rich.
"""
