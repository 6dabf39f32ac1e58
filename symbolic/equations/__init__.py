"""Written equations: read, judged in exact fractions, shown from the same tree.

A paper is a file of text, `papers/NAME/NAME.eq` (its lines: `paper`; its grammar: `grammar`,
`indices`), and a module `papers/NAME/world.py` that says what its letters mean:

    paper = read(text, "screw.eq")                    # errors name file, line and column
    ledger = Ledger(paper, world)                     # world("pin"): a World, by an instant's name
    ledger.entries_of(["5"])[0].verdict.sentence()    # "the print fails; it holds once corrected"
    ledger.claim("Vb_i = inv(Ad(C_i)) Vs_i")

A world (`worlds.World`) holds, for each declared pattern, a function of the values of its running
indices, and the sets that indices run over. It states no equation:

    class Tree(World):
        def __init__(self, tree):
            self.sets = {"body": lambda: tree.numbers, "way": tree.path}
            self.letters = {"C_i": lambda i: tree.motion.C[i], "X_i": lambda i: tree.screw(i)}
            self.coordinates = tuple(tree.numbers)

Values are SymPy matrices, `Mat`s, numbers, or anything with `terms`, the coefficients of powers of
the time, where a rate is asked for. Where an entry states what an algorithm computes, its letters
are the arrays of the algorithm's program, run in fractions.
"""
