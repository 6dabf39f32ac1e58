"""The recursive-formulation paper's numbered equations: see `ledgers/accounts.py`."""

from __future__ import annotations

TABLE = """
1.1  | states  | 1.1    | q̈ = g(q, q̇, t): accelerations that are found explicitly
1.2  | states  | 1.1    | M(q, t) q̈ = f(q, q̇, t)
1.3  | defines |        | the form ẋ = c(x, t) that integrators start from
1.4  | defines |        | x = (s, q)
1.5  | defines |        | c = (g, s)
1.6  | states  | as 1.1 | A q̈ = b, the same as (1.2)
2.1  | states  | 2.1    | Newton–Euler equations of each body
2.2  | states  | 2.2    | d'Alembert's principle, summed over all bodies
2.3  | states  | 2.3    | Lagrange's equations by independent coordinates
2.4  | states  | 2.4    | Lagrange's equations with multipliers
2.5  | states  | 2.4    | h(q, t) = 0
2.6  | states  | 2.4    | R q̇ = −∂h/∂t
2.7  | states  | 2.4    | R = ∂h/∂q
2.8  | defines |        | velocity equations R q̇ = c, from which R is read where h is not holonomic
2.9  | states  | 2.9    | Kane's equations, K + K* = 0
2.10 | states  | 2.10   | generalised active forces
2.11 | states  | 2.11   | generalised inertia forces
3.1  | states  | 3.2    | the body connection array of Fig. 3.1
3.2  | states  | 3.2    | i = β_j, i < j: every body comes after the one that it hangs on
3.3  | defines |        | R^i turns the ground's axes to those of body i
3.4  | defines |        | R^j, the same of body j
3.5  | defines |        | B^ik turns body i's axes to those of the joint's frame on it
3.6  | defines |        | B^jk, the same of body j
3.7  | states  | 3.7    | C^k turns the joint's frame on body i to that on body j
3.8  | states  | 3.8    | R^j = (B^jk)ᵀ · C^k · B^ik · R^i
3.9  | defines |        | ω^i, the axial vector of Ṙ^i (R^i)ᵀ
3.10 | defines |        | ω^j, the same of body j
3.11 | states  | 3.11   | ω^ij is the axial vector of Ċ Cᵀ in the joint's frame
3.12 | states  | 3.11   | C is a function of the joint's coordinates
3.13 | states  | 3.11   | ω^ij = w q̇
3.14 | states  | 3.14   | w are the axial vectors of ∂C/∂q Cᵀ
3.15 | states  | 3.15   | ω^j = ω^i + w q̇
3.16 | states  | 3.16   | r^j = r^i + r^ij
3.17 | states  | 3.16   | r^ij = b^ik + c^k − b^jk
3.18 | states  | 3.18   | ṙ^j = ṙ^i + ḃ^ik + ċ^k − ḃ^jk
3.19 | states  | 3.18   | ḃ^ik = ω^i × b^ik
3.20 | states  | 3.18   | ḃ^jk = ω^j × b^jk
3.21 | states  | 3.18   | ċ = ω^i × c and the rate that is seen from the joint's frame
3.22 | states  | 3.22   | c is a function of the joint's coordinates
3.23 | states  | 3.18   | ċ = ω^i × c + ∂c/∂q q̇
3.24 | states  | 3.18   | ḃ^jk = ω^i × b^jk + w q̇ × b^jk
3.25 | states  | 3.18   | ṙ^j by ω^i and by the joint's q̇
3.26 | states  | 3.26   | v^j = A v^i + B q̇
3.27 | defines |        | v^j = (ṙ^j, ω^j)
3.28 | states  | 3.28   | A = [[1, −Z], [0, 1]]
3.29 | defines |        | v^i = (ṙ^i, ω^i)
3.30 | states  | 3.28   | B = [∂c/∂q − w × b^jk; w]
3.31 | states  | 3.28   | Z = ~(b^ik + c^k − b^jk)
3.32 | states  | 3.32   | δu^j = A δu^i + B δq
3.33 | defines |        | δu^j = (δr^j, δπ^j)
3.34 | defines |        | δu^i = (δr^i, δπ^i)
3.35 | states  | 3.35   | v̇^j = A v̇^i + B q̈ + D
3.36 | states  | 3.35   | D = Ȧ v^i + Ḃ q̇
3.37 | states  | 3.37   | Ȧ = [[0, −Ż], [0, 0]]
3.38 | states  | 3.37   | Ḃ
3.39 | states  | 3.39   | rates of the joint's axes, ẇ
3.40 | states  | 3.43   | universal joint: c = 0
3.41 | states  | 3.43   | universal joint: e^jk = C · e^ik
3.42 | states  | 3.43   | C as a sum of dyads, and by its matrix
3.43 | states  | 3.43   | C of a universal joint, entry by entry
3.44 | states  | 3.44   | the principle, summed over all bodies
3.45 | defines |        | δu = (δr, δπ)
3.46 | states  | 2.1    | M = diag(m 1, J)
3.47 | defines |        | v̇ = (r̈, ω̇)
3.48 | states  | 2.1    | Q = (F, T − ω × J ω)
3.49 | states  | 2.2    | the last body's term of the sum by itself
3.50 | states  | 3.50   | the last body's motion by that of its inner body and of its joint
3.51 | states  | 3.51   | q̈ of the outermost joint
3.52 | states  | 3.52   | the principle without the outermost body
3.53 | states  | 3.53   | effective mass of the outermost body
3.54 | states  | 3.54   | effective load of the outermost body
3.55 | states  | 3.55   | the principle down to body h + 1
3.56 | states  | 3.50   | body h + 1's motion by that of its inner body and of its joint
3.57 | states  | 3.51   | q̈ of joint h + 1
3.58 | states  | 3.52   | the principle down to body h
3.59 | states  | 3.53   | effective mass of body h + 1
3.60 | states  | 3.60   | effective load of body h + 1
3.61 | states  | 3.61   | the base body alone
4.1  | states  | 4.1    | the principle with driven joints
4.2  | states  | 4.1    | the same without the outermost body
4.3  | states  | 4.4    | effective mass of a driven joint
4.4  | states  | 4.4    | effective load of a driven joint
4.5  | states  | 4.5    | the principle with multipliers of a cut joint
4.6  | defines | 4.6    | ∂f/∂x by a vector: the slope along every direction
4.7  | defines |        | x by its components in a frame
4.8  | states  | 4.6    | ∂f/∂x by the slopes along the frame's axes
4.9  | defines |        | h(u^j, u^j+1, t) = 0 of a cut joint
4.10 | states  | 4.10   | ḣ
4.11 | states  | 4.11   | ḧ
4.12 | states  | 4.5    | h_u v̇ = rhs
4.13 | states  | 4.13   | the principle with flexible bodies
4.14 | defines |        | δu = (δr, δπ, δα) of a flexible body
4.15 | defines |        | M depends on the modal coordinates α
4.16 | defines |        | v̇ = (r̈, ω̇, α̈)
4.17 | defines |        | Q depends on α and α̇
A.1  | defines |        | generalised speeds u = V q̇ + W
A.2  | states  | A.2    | velocity by partial velocities
A.3  | states  | A.3    | angular velocity by partial angular velocities
A.4  | states  | A.13   | principle of virtual power
A.5  | states  | A.6    | velocity by the coordinates' rates
A.6  | states  | A.6    | v = Xᵀ u + Y
A.7  | defines |        | Xᵀ = (∂r/∂q)ᵀ V⁻¹
A.8  | defines |        | Y = ∂r/∂t − (∂r/∂q)ᵀ V⁻¹ W
A.9  | states  | A.9    | v̇ = Xᵀ u̇ + Z
A.10 | states  | A.6    | δv = Xᵀ δu
A.11 | defines |        | Z = Ẋᵀ u + Ẏ
A.12 | states  | A.6    | X's columns are the partial velocities
A.13 | states  | A.13   | virtual power by generalised speeds
A.14 | states  | as 2.9 | Kane's equations
A.15 | defines |        | K, generalised active forces as integrals
A.16 | defines |        | K*, generalised inertia forces as integrals
A.17 | defines |        | K of mass points
A.18 | defines |        | K* of mass points
B.1  | defines |        | R^i as tensor and as matrix
B.2  | defines |        | B^ik as tensor and as matrix
B.3  | defines |        | C^k as tensor and as matrix
B.4  | defines |        | B^jk as tensor and as matrix
B.5  | defines |        | R^j as tensor and as matrix
B.6  | defines |        | ω^i, the axial vector of Ṙ^i (R^i)ᵀ
B.7  | defines |        | ω^j, the same of body j
B.8  | states  | B.8    | ė^i = ω^i × e^i
B.9  | states  | B.10   | ė^ik by the rates of R and B
B.10 | states  | B.10   | the spin of e^ik in body i
B.11 | states  | B.10   | Ḃ^ik in body axes
B.12 | states  | B.10   | (B^ik)ᵀ in body axes
B.13 | states  | B.10   | Ṙ^i in body axes
B.14 | states  | B.10   | proof of (B.10)
B.15 | defines |        | ω^ik, of e^ik in body i
B.16 | states  | B.10   | ė^ik = (ω^i + ω^ik) × e^ik
B.17 | defines |        | ω^k, of e^jk in e^ik
B.18 | defines |        | ω^jk, of e^jk in body j
B.19 | defines |        | ω^ij = ω^j − ω^i
B.20 | defines |        | e^jk by C^k, as (B.3)
B.21 | defines |        | e^jk by B^jk, as (B.4)
B.22 | states  | B.24   | ė^jk along body i
B.23 | states  | B.24   | ė^jk along body j
B.24 | states  | B.24   | ω^ij = ω^ik + ω^k − ω^jk
B.25 | defines |        | rigid body i: Ḃ^ik = 0
B.26 | defines |        | rigid body j: Ḃ^jk = 0
B.27 | states  | B.29   | ω^ik = 0
B.28 | states  | B.29   | ω^jk = 0
B.29 | states  | B.29   | ω^ij = ω^k
C.1  | defines |        | R¹ turns the ground's axes to those of body 1
C.2  | states  | C.3    | R¹ as a sum of dyads, and by its matrix
C.3  | states  | C.3    | R¹ by Bryant angles
C.4  | defines |        | C¹ turns e^11 to e^21
C.5  | states  | C.3    | C¹ as a sum of dyads, and by its matrix
C.6  | states  | C.3    | C¹ by the joint's angles
C.7  | defines |        | ω¹, the axial vector of Ṙ¹ (R¹)ᵀ
C.8  | defines |        | ω¹², the axial vector of Ċ¹ (C¹)ᵀ
C.9  | states  | C.13   | Ṙ¹ · (R¹)ᵀ by its matrix
C.10 | states  | C.13   | Ṙ¹ (R¹)ᵀ, entry by entry
C.11 | states  | C.13   | Ċ¹ (C¹)ᵀ, entry by entry
C.12 | defines |        | the axial vector of a skew matrix
C.13 | states  | C.13   | ω¹, entry by entry
C.14 | states  | C.13   | ω¹², entry by entry, = w q̇
C.15 | states  | C.13   | w, the joint's axes
C.16 | states  | C.13   | ω² = ω¹ + w q̇
C.17 | states  | C.29   | r² = r¹ + r¹²
C.18 | states  | C.18   | r¹²
C.19 | states  | C.29   | c¹ = 0
C.20 | states  | C.21   | ṙ²
C.21 | states  | C.21   | v² = A v¹ + B q̇
C.22 | defines |        | v = (ṙ, ω)
C.23 | states  | C.21   | A
C.24 | states  | C.21   | B = [−w × b²¹; w]
C.25 | defines |        | q̇ = (q̇₁, q̇₂)
C.26 | states  | C.29   | b¹¹ = R¹ e₃
C.27 | states  | C.29   | b²¹ = −R¹ C¹ e₃
C.28 | states  | C.21   | (b¹¹ − b²¹) × ω¹ = Z ω¹
C.29 | states  | C.29   | z₁
C.30 | states  | C.29   | z₂
C.31 | states  | C.29   | z₃
C.32 | states  | C.21   | B = [b²¹ × w; w]
C.33 | states  | C.34   | w by its matrix W
C.34 | states  | C.34   | W, entry by entry
C.35 | states  | C.21   | b²¹ × w by matrices
C.36 | states  | C.29   | b²¹, first entry
C.37 | states  | C.29   | b²¹, second entry
C.38 | states  | C.29   | b²¹, third entry
C.39 | states  | C.21   | δu² = A δu¹ + B δq
C.40 | defines |        | δu = (δr, δπ)
C.41 | defines |        | δq = (δq₁, δq₂)
C.42 | states  | C.46   | v̇² = A v̇¹ + B q̈ + D
C.43 | states  | C.46   | D = Ȧ v¹ + Ḃ q̇
C.44 | states  | C.46   | Ȧ
C.45 | states  | C.46   | Ż, by the rates of z
C.46 | states  | C.46   | Ḃ
"""
