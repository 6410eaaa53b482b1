"""Small edits of a submission: what a slip of the pen may have made of right code.

Each changes one expression or two statements: a number, an operator, an end of a slice, the name of
a method, one name for another, the order of two steps. As in mutation-based fault localisation
(Papadakis, Le Traon 2015, Metallaxis-FL), a line is to blame where one of them makes what went
wrong right.
"""
