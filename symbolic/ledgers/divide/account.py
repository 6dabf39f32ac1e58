"""The divide-and-conquer paper's numbered equations, (1)–(77): see `ledgers/accounts.py`."""

from __future__ import annotations

TABLE = """
1  | states | 1  | speeds from the Hamiltonian
2  | states | 2  | rates of the canonical momenta
3  | states | 3  | constraints and their rate
4  | states | 4  | the Hamiltonian
5  | states | 5  | kinetic energy by momenta
6  | states | 6  | augmented momenta
7  | states | 7  | rates of the augmented momenta
8  | states | 8  | speeds and impulses from momenta
9  | states | 9  | momentum about a point of the body
10 | states | 10 | articulated momenta
11 | states | 11 | allowed and constrained directions
12 | states | 12 | a body's momentum, about handle 1
13 | states | 13 | a body's momentum, about handle 2
14 | states | 14 | shift of wrenches and twists
15 | states | 15 | a body's velocity at handle 1
16 | states | 16 | a body's velocity at handle 2
17 | states | 17 | V_1 of A
18 | states | 18 | V_2 of A
19 | states | 19 | V_1 of B
20 | states | 20 | V_2 of B
21 | states | 21 | V_1 of C
22 | states | 22 | V_2 of C
23 | states | 23 | relative velocity across a joint
24 | states | 24 | what the joint holds
25 | states | 25 | impulses on both sides of a joint
26 | states | 26 | σ of the joint between two runs
27 | states | 27 | W
28 | states | 28 | β
29 | states | 29 | the inner impulse
30 | states | 30 | V_1ᴬ by outer impulses
31 | states | 31 | V_2ᴮ by outer impulses
32 | states | 32 | handle 1 of C
33 | states | 33 | handle 2 of C
34 | states | 34 | ξ11 and ξ12 of C
35 | states | 35 | ξ21 and ξ22 of C
36 | states | 36 | ξ10 and ξ20 of C
37 | states | 37 | V_1 of the whole system
38 | states | 38 | V_2 of the whole system
39 | states | 39 | impulses at the ends
40 | states | 40 | joint velocities at the ends
41 | states | 41 | a free system
42 | states | 42 | an open chain
43 | states | 43 | σ of an open chain
44 | states | 44 | a closed chain's ends
45 | states | 45 | σ of a closed chain's ends
46 | states | 46 | joint velocities at the ends by σ
47 | states | 47 | Newton and Euler about the centre
48 | states | 48 | momenta and loads shift alike
49 | states | 49 | the shift back is the inverse
50 | states | 50 | a shift times its rate
51 | states | 51 | motion about a moving point, relative
52 | states | 52 | motion about a moving point, absolute
53 | states | 53 | the rate of a shift by the point's velocity
54 | states | 54 | motion of A
55 | states | 55 | motion of B
56 | states | 56 | inner force eliminated
57 | states | 57 | as a total derivative
58 | states | 58 | accumulated momenta and loads
59 | states | 59 | forces at the handles
60 | states | 60 | motion of C
61 | states | 61 | rate of the accumulated momentum
62 | states | 62 | the cut has no joint momentum
63 | states | 63 | accumulated and articulated momenta at handle 1
64 | states | 64 | accumulated and articulated momenta at handle 2
65 | states | 65 | motion with a cut
66 | states | 66 | simplified
67 | states | 67 | rate of the first momentum
68 | states | 68 | rate at the cut
69 | states | 69 | rate of any joint's momentum
70 | states | 70 | articulated loads of A
71 | states | 71 | articulated loads of B
72 | states | 72 | loads on both sides of a joint
73 | states | 73 | loads of A and B together
74 | states | 74 | articulated loads of C
75 | states | 75 | the load at the base
76 | states | 76 | loads back down the tree
77 | states | 77 | the momenta's rates from articulated loads
Sect. 3.4 | text | | scaled directions against growing σ
"""
