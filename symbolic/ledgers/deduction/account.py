"""The deduction paper's numbered equations: see `ledgers/accounts.py`.

Up to (39) the text says which display has which number; the examples' (40)–(50) are likely.
"""

from __future__ import annotations

TABLE = """
1  | defines | 1  | the state of an end in space
2  | defines | 2  | its components
3  | defines | 3  | its parts
4  | defines | 4  | the state of a flexible body's end
5  | states  | 5  | transfer equation of an element
6  | states  | 6  | overall equation of a chain
7  | states  | 7  | overall matrix of a chain
8  | states  | 8  | the same as a sum of zero
9  | states  | 9  | a ring, parted
10 | states  | 10 | its matrix
11 | states  | 11 | both sides of the cut
12 | states  | 12 | its overall equation
13 | states  | 13 | transfer equation of a body with several inputs
14 | states  | 14 | its geometric equations
15 | defines | 15 | the states of all ends of a body
16 | states  | 16 | acceleration of the output from the first input's
17 | states  | 17 | acceleration of a further input from the first one's
18 | states  | 18 | Newton's and Euler's law
19 | states  | 19 | U_I1
20 | states  | 20 | U_Ik
21 | states  | 21 | H_I1
22 | states  | 22 | H_Ik
23 | states  | 23 | main equation
24 | states  | 24 | its products
25 | states  | 25 | geometric equation of body 9
26 | states  | 26 | states at its inputs from the tips
27 | states  | 27 | inserted
28 | states  | 28 | written as a row
29 | states  | 29 | its blocks
30 | states  | 30 | geometric equations of bodies 10 and 4
31 | states  | 31 | their blocks
32 | states  | 32 | overall equation of a tree
33 | states  | 33 | overall matrix of a tree
34 | states  | 34 | both ends of a cut
35 | states  | 35 | C
36 | states  | 36 | overall equation with both ends of the cut
37 | states  | 37 | its matrix
38 | states  | 38 | with one end of the cut
39 | states  | 39 | its matrix
40 | states  | 40 | Example 1: overall equation
41 | states  | 41 | Example 1: overall matrix
42 | defines | 42 | Example 1: states of all ends
43 | defines | 43 | Example 1: the root is z_6,0
44 | states  | 44 | Example 1: its main row
45 | states  | 45 | Example 1: what is known at the ends
46 | states  | 46 | Example 2: overall equation
47 | states  | 47 | Example 2: overall matrix, its cut's ends paired
48 | defines | 48 | Example 2: states of all ends
49 | states  | 49 | Example 2: both ends of the cut
50 | states  | 50 | Example 2: what is known at the pin to the ground
beam, balance    | own  | | inertia and strain of a beam
beam, output     | own  | | acceleration of its output
beam             | own  | | its matrix
beam, modal      | own  | | what drives its modal accelerations
beam, inputs     | own  | | its matrices where it has several inputs
beam, eliminated | own  | | its matrix without them
below 13         | text | | geometric equations fill up what the transfer equation of a body lacks
below 19         | text | | U of one input is U_I1
hinge            | own  | | a hinge's matrix
hinge, row       | own  | | what drives a hinge
below 7          | text | | successive premultiplication of the elements' matrices
below 8          | text | | order of a chain's overall matrix
below 33         | text | | a chain's equation is a tree's with one tip
below 34         | text | | either state may be eliminated
below 35         | text | | n of C
theorem 1        | text | | z_all has the states of all boundary ends
theorem 2        | text | | rows of a tree
theorem 2, rows  | text | | a row for each input of a body but its first
theorem 3        | text | | a chain
theorem 4        | text | | a ring: tip and root with the same state
theorem 5        | text | | a general system: both ends of a cut
unknowns         | own  | | as many equations as unknowns
hinges           | own  | | rows that say what drives the hinges
Example 1        | text | | masses and inertias
Example 1, beam  | text | | the beam's length and stiffness
Example 2        | text | | masses and inertias
"""
