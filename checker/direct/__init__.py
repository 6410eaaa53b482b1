"""Judging without roles: what is asked for is called with given arguments and compared.

Functions today. A class whose weights come by a table, and one that keeps state between
calls, are the same thing with a recipe that makes an object and several calls on it.
"""
