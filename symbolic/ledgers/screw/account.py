"""The screw paper's numbered equations, (1)–(119): see `ledgers/accounts.py`.

The appendix with (91)–(119) is not in our copy. What the text says of them fixes (92)–(95), (99),
(101), (102), (104)–(107), (109), (111)–(115), (117) and (119); the others are given in their order.
"""

from __future__ import annotations

TABLE = """
1   | states  | 81      | M(q) q̈ + C(q̇, q) q̇ = Q: the motion equations
2   | states  | 2       | acceleration by the Jacobian's partial derivatives
3   | states  | 3       | a column of the Jacobian as a matrix
4   | states  | 4       | derivative of the relative pose
5   | states  | 5       | derivative of the relative pose, the other way
6   | states  | 6       | derivative of a column is a screw product
7   | states  | 7       | acceleration by screw products
8   | states  | 8       | derivative of a column by Ad and ad
9   | states  | 9       | rate of the system Jacobian, −A a J
10  | defines |         | a = diag(q̇_i ad_{X_i}); it is judged with (9)
11  | states  | 11      | system acceleration
12  | states  | 12      | joint accelerations from twists
13  | states  | 13      | second derivatives of a column
14  | states  | 14      | jerk
15  | states  | 15      | ν-th derivatives of a column, here the third
16  | states  | 16      | derivative of a column
17  | states  | 17      | rate of a column, [V, J]
18  | states  | 18      | acceleration from the parent's
19  | states  | 19      | system acceleration
20  | defines |         | b = diag(ad_{V_i}); it is judged with (19)
21  | states  | 21      | second derivatives of a column
22  | states  | 22      | jerk, in two forms
23  | states  | 22      | the jerk written out
24  | states  | 24      | ν-th derivatives of a column, here the third
25  | states  | 26      | the derivation of (26), for j ≤ k
26  | states  | 26      | derivative of a column
27  | states  | 27      | rate of a column by twists
28  | states  | 28      | rate of a column by spins, three forms
29  | states  | 29      | acceleration by columns and their rates
30  | states  | 30      | acceleration by spins, and from the parent's as in (73)
31  | states  | 31      | second rate of a column
32  | states  | 32      | jerk
33  | states  | 32      | the jerk written out
34  | states  | 34      | mixed twists, rates and jerk from the hybrid ones
35  | states  | 35      | spatial inertia
36  | states  | 36      | spatial momentum
37  | states  | 37      | spatial momentum changes by the wrench
38  | states  | 38      | rate of the spatial inertia
39  | states  | 39      | spatial Newton–Euler equations
40  | states  | 40      | inertia in a frame at the centre of mass
41  | states  | 41      | inertia in any frame of the body
42  | states  | 42      | body-fixed Newton–Euler equations, in two forms
43  | states  | 43      | their moments
44  | states  | 44      | their forces
45  | states  | 45      | body-fixed at the centre of mass
46  | states  | 46      | their moments
47  | states  | 47      | their forces
48  | states  | 48      | hybrid twist of the centre of mass
49  | states  | 49      | hybrid Newton–Euler equations at the centre of mass
50  | states  | 50      | their moments
51  | states  | 51      | their forces
52  | states  | 52      | hybrid inertia
53  | states  | 53      | hybrid momentum balance
54  | states  | 54      | rate of the shift to the centre of mass
55  | states  | 55      | their moments
56  | states  | 56      | their forces; the force is the spatial one
57  | states  | 57      | acceleration of the origin by the body-fixed twist
58  | states  | 58      | mixed Newton–Euler equations: forces
59  | states  | 59      | mixed Newton–Euler equations at the centre of mass
60  | states  | 60      | momentum balance seen from a moving frame
61  | states  | 61      | Newton–Euler equations seen from a moving frame
62  | states  | 62      | inertia seen from a moving frame
63  | states  | 63      | momentum balance in the axes of another moving frame
64  | states  | 64      | Newton–Euler equations in axes of another moving frame
65  | states  | 65      | inertia in the axes of another moving frame
66  | states  | 66      | body-fixed acceleration from the parent's, three forms
67  | states  | 68      | body-fixed poses' twists and accelerations, outwards
68  | states  | 68      | body-fixed inverse dynamics
69  | states  | 69      | spatial twist and acceleration from the parent's
70  | states  | 69      | spatial acceleration from the parent's, in two forms
71  | states  | 72      | spatial twists and accelerations, outwards
72  | states  | 72      | spatial inverse dynamics
73  | states  | 73      | hybrid acceleration from the parent's, three forms
74  | states  | 73      | the second form of (73)
75  | states  | 73      | the third form of (73)
76  | states  | 77; 76b | hybrid twists and accelerations, outwards
77  | states  | 77      | hybrid inverse dynamics
78  | states  | 78      | the joints' reactions do no work
79  | states  | 79      | Euler–Jourdain equations, in three representations
80  | states  | 80      | motion equations by spatial momenta
81  | states  | 81      | Lagrange's equations
82  | states  | 82      | mass matrix Jᵀ M J, and by 4×4 matrices
83  | states  | 83      | slope of the kinetic energy
84  | states  | 84      | Coriolis matrix
85  | states  | 84      | the Coriolis matrix simplified
86  | states  | 86      | Coriolis matrix of Christoffel's symbols
87  | states  | 87      | Christoffel's symbols by screws, for all i, j, k
88  | states  | 88      | Christoffel's symbols by second moments
89  | states  | 89      | the rate of a pose by twists
90  | states  | 90      | twists by the rate of an increment
91  | defines |         | the pose C = [[R, r], [0, 1]]
92  | states  | 93      | the relative pose, with joint frames and without
93  | states  | 93      | poses from the parent's
94  | states  | 94      | product of exponentials
95  | states  | 94      | X, Y and A: Y = Ad_A X
96  | states  | 98      | Vᵇ^ = C⁻¹ Ċ
97  | states  | 98      | Vˢ^ = Ċ C⁻¹
98  | states  | 98      | twists from one representation to another
99  | states  | 98      | Vʰ = Ad_R Vᵇ
100 | states  | 98      | Vʰ = Ad_{−r} Vˢ
101 | states  | 98      | Vᵐ = diag(Rᵀ, 1) Vʰ
102 | states  | 102     | twists by Jacobians
103 | states  | 102     | Vˢ = Σ Jˢ q̇
104 | states  | 102     | Jᵇ = Ad X, by X and by Y
105 | states  | 102     | Jˢ = Ad X, by X and by Y
106 | states  | 102     | Jʰ = Ad_r ⁰X
107 | states  | 102     | Jʰ = Ad_R Jᵇ
108 | open    |         | our copy lacks the appendix, and its text does not tell what (108) says
109 | states  | 109     | twists from the parent's
110 | states  | 109     | Vˢ from the parent's
111 | states  | 109     | Vʰ from the parent's
112 | states  | 113     | the system twist V = J q̇
113 | states  | 113     | the system Jacobian A X
114 | states  | 114     | screw products, Jacobi, Ad of a product
115 | states  | 114     | the screw product by its parts
116 | states  | 114     | ad_X Y = [X, Y]
117 | states  | 114     | Jacobi's identity
118 | states  | 114     | Ad of a pose, and of a product
119 | states  | 114     | angular and linear part of a twist
85, skew              | text | | Coriolis matrices for which Ṁ − 2C is skew
Remark 3              | text | | joint acceleration from twists
mixed                 | own  | | mixed inverse dynamics, by (57) and (58)
Sect. 4.4             | text | | one reference frame for all bodies
Sect. 6.1             | own  | | slopes of the mass matrix
Sect. 6.1, tangent    | own  | | slopes of Q by one sweep each way
Sect. 6.1, closed     | own  | | slopes of Q by sums over subtrees
Sect. 6.2             | own  | | slopes of poses and twists by geometry
Sect. 6.2, forces     | own  | | slopes of Q by geometry
Sect. 6.3, body-fixed | own  | | Q, Q̇ and Q̈ by a recursion
Sect. 6.3, spatial    | own  | | Q, Q̇ and Q̈ by a recursion
Sect. 6.3, hybrid     | own  | | Q, Q̇ and Q̈ by a recursion
"""
