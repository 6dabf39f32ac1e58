"""What is taken for zero in the dense systems of programs."""

#: A MIN_NORM system A x = b is judged and solved with its diagonal scaled to 1, so that units do
#: not matter: least is Σ sᵢ xᵢ² of the scales s. Eigenvalues below this part of the largest, or of
#: 1, are taken for zero: far above the rounding of doubles, far below what conditions that differ
#: give.
CUT_OFF = 1e-10

#: The scale of a diagonal entry that is below this part of what it would be if no position made it
#: zero: rounding that is scaled by itself would be a condition. With `CUT_OFF` conditions count
#: whose levers are 3e-9 of what they could be: closer neither states nor models are told.
FAINT = 1e-7

#: Where all pivots of its L D Lᵀ are above this part of their scale, it is solved by that, without
#: eigenvalues. A pivot divides the rounding of those after it: of a matrix without full rank one
#: that is small for another reason would leave the last, which is zero, as rounding that a lower
#: bound took for a pivot. This one is above the rounding that it lets pass.
FIRM = 1e-6

#: The unknowns of a dense system mean nothing if rounding may make this part of them.
LOST = 1e-3

#: Conditions of loops are singular where their least pivot is this part of what it can be: there
#: rounding costs the accelerations as much as states beside it do.
SINGULAR = 1e-5

#: The nearest of these states (rad, m), and how often it is tried twice as far.
NEAREST = 3e-3
WIDENINGS = 6

#: How far (rad, m) one looks around where a motion begins.
AROUND = 0.02

#: A step that goes farther than this (rad, m) for each of its stages may pass a singular position
#: of which they say nothing.
FAR = 0.1

#: A step is looked at in pieces of 1.5 times that way, at most in twice so many of them: a step
#: that goes farther (15 rad or m) follows no motion any more, and what it costs needs a bound.
MOST_PIECES = 50

#: Golden sections of a step in which a singular position may lie.
SECTIONS = 24

#: Gauss–Newton passes that close loops; it converges quadratically, so that more mean that it does
#: not.
MOST_PASSES = 50

#: The longest step (rad, m) taken at once to close loops, lest a far start jump to another closure.
LONGEST_STEP = 0.5
