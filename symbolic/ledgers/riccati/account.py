"""The Riccati paper's numbered equations, (1)–(62): see `ledgers/accounts.py`."""

from __future__ import annotations

TABLE = """
1  | defines | 1  | the state z = (r̈, Ω̇, m, q, 1) of an end
2  | defines | 2  | its four vectors
3  | states  | 3  | output state of a body
4  | states  | 4  | transfer matrix of a rigid body with one input
5  | states  | 5  | E1 … E9, the blocks of (4)
6  | states  | 6  | the comprehensive input state of several inputs
7  | states  | 7  | output state of a body with two inputs
8  | states  | 8  | transfer matrix of a rigid body with several inputs
9  | states  | 9  | lever of a further input
10 | states  | 10 | smooth ball hinge from its outboard body
11 | states  | 11 | output of a multi-hinge
12 | states  | 12 | multi-hinge, first input
13 | states  | 13 | multi-hinge, further inputs
14 | states  | 14 | acceleration of input k
15 | states  | 15 | geometric equation
16 | states  | 16 | its matrices
17 | states  | 17 | input k's acceleration from the first one's
18 | states  | 18 | overall transfer equation of a chain
19 | states  | 19 | overall matrix of a chain
20 | states  | 20 | the transfer equation in the order (m, q), (r̈, Ω̇)
21 | states  | 21 | Riccati transformation: z_a from z_b at an input
22 | states  | 22 | z_b at the output from z_b at the input
23 | states  | 23 | solved for z_b at the input
24 | states  | 24 | P and q of the backward step
25 | states  | 25 | backward step
26 | states  | 26 | z_a at the output, inserted
27 | states  | 27 | z_a at the output, rearranged
28 | states  | 28 | z_a at the next element's input
29 | states  | 29 | S behind the element
30 | states  | 30 | e behind the element
31 | states  | 31 | the transformation, passed on
32 | states  | 32 | the transformation at the root, whose S and e are the last ones
33 | states  | 33 | backward recursion: z_b, then z_a at the input
34 | states  | 34 | S and e at a free tip
35 | defines | 35 | the state in the plane
36 | states  | 36 | transfer matrix of a rod in the plane
37 | states  | 37 | the same in the order (m, q), (r̈, Ω̇)
38 | states  | 38 | its blocks
39 | states  | 39 | S behind rod 1
40 | states  | 40 | e behind rod 1
41 | states  | 41 | loads at the output of rod 1 from its accelerations
42 | states  | 42 | state at the output of rod 1
43 | states  | 43 | U_tip of the first chain
44 | states  | 44 | transfer matrix of hinge 4
45 | states  | 45 | blocks of hinge 4
46 | states  | 46 | S behind hinge 4
47 | states  | 47 | e behind hinge 4
48 | states  | 48 | the second chain's U_tip, S and e
49 | states  | 49 | rod 7 with two inputs
50 | states  | 50 | state at the output of body 7
51 | states  | 51 | state at the output of multi-hinge 8
52 | states  | 52 | both matrices of multi-hinge 8
53 | states  | 53 | main equation
54 | states  | 54 | geometric equation in the plane
55 | states  | 55 | its matrices
56 | states  | 56 | overall equation
57 | states  | 57 | overall matrix
58 | defines | 58 | the overall state vector
59 | states  | 59 | reduced equation and its rank
60 | defines | 60 | the nine unknowns
61 | states  | 61 | loads at the output of rod 1
62 | states  | 62 | accelerations at the tip of rod 1
"""
