paper divide-and-conquer: Hamiltonian dynamics of closed loops by divide and conquer
at loop
index i : body
index k, l : joint
index c : cut
index e : side(k)
index h : handle
index X : run
index Y : next(X)
index G : centre(i)
index O, u, v : point(i)
index n : node
letter M : mass matrix of the open tree
letter Φ as Φ_q : slopes of the conditions of the cuts
letter gap as Φ : 3×1, how far apart the two bodies' points at the cut are
letter u as q̇ : all speeds
letter V : 1×1, potential of gravity
letter K as T : 1×1, kinetic energy, by the bodies' twists and momenta
letter Qf as Q : forces without a potential
letter λ, λ_k, σ_k, σ, σc_e as σ : multipliers; impulses of the cuts, of any joint
letter Phat as P : augmented momenta of all joints
letter m_i : mass of body i
letter J_i : 3×3, inertia of body i about its centre, inertial axes
letter O_k, Oc_e as O, O_1^X, O_2^X, l_u : 3×1, place of a joint, of a cut's side, of a run's handle
letter S_uv, Sc_ke as S : 6×6, shift of wrenches to the first point from the second one
letter P_iu : 6×1, momentum (p, L) of body i about a moving point
letter V_iu : 6×1, twist (v, ω) of body i's material point there
letter Q_iu, Qj_ik as Q, load_i as Q_C : 6×1, load on body i about a point; about its centre
letter H_k, D_k, Dc_e as D : 6×n, allowed and constrained directions of joint k, inertial axes
letter Din as D_5 : 6×2, those of the cut's constrained directions that lie in the plane
letter p_k, qd_k as q̇, vm_e as v, sg_e as s, qd_5 as q̇ : joint momentum and speeds; a material point's velocity; side of a cut, ±1
letter Pbar_k as P̄, T_k, F_k : 6×1, impulse that joint k gives to its successor; its constrained part; its force
letter ω_i, ωj_k as ω : 3×1, angular velocity of a body; of the body before joint k
letter V_1^X, V_2^X, T_1^X, T_2^X : 6×1, velocity and constrained impulse at a run's handles, from the motion
letter P_1^X, P_2^X, Q_1^X, F_1^X, F_2^X, Pbar_1^X as P̄, Pbar_2^X as P̄ : 6×1, accumulated momentum, load, force, articulated momentum
letter Qbar_1^X as Q̄, Qbar_2^X as Q̄ : 6×1, articulated loads: all loads beyond handle 1; minus those beyond handle 2
letter S_12^X, M_1^X, M_2^X : 6×6, shift from handle 2 to 1; mass matrix of a body about a handle
letter ξ_11^X, ξ_12^X, ξ_21^X, ξ_22^X : 6×6, what a handle's velocity answers to an impulse, by one dense system
letter ξ_10^X, ξ_20^X : 6×1, the same without impulses at the handles
letter H_h^X, D_h^X, σ_h^X, p_h^X : of the joint at a run's handle, without columns at a free tip
letter Ξ_n, ξ_n : of a node of its assembly tree, as the program computes them: of the joints before, then of those behind
define W := -D_3 (D_3^T (ξ_11^B + ξ_22^A) D_3)^-1 D_3^T | (27)
define β := W (ξ_10^B - ξ_20^A) | (28)
define p := M u | canonical momenta
define Hm as H := p^T M^-1 p / 2 + V | (4)
define Sd_k as Ṡ := [0, 0; ~O'_k, 0] | (53), of joint k's point
define Sdc_e as Ṡ := [0, 0; ~Oc'_e, 0] | (53), of a cut's side
define Sd_1^X := [0, 0; ~O_1^X', 0] | (53), of handle 1
define Sd_2^X := [0, 0; ~O_2^X', 0] | (53), of handle 2
define Qbar_k as Q̄ := Σ_{i∈beyond(k)} Qj_ik | all loads beyond joint k
define D := diag(D_1, D_5) | both ends
define H := diag(H_1, H_5) | both ends
define ξ := [ξ_11^C, ξ_12^C; ξ_21^C, ξ_22^C] | of the whole system
define ξ0 as ξ_0 := [ξ_10^C; ξ_20^C] | of the whole system

# Hamilton's equations
(1) speeds from the Hamiltonian @ holonomic
    u = ∂_{p}(Hm)
(1, freedoms) n coordinates under m conditions [text] @ holonomic, loop, coupled
    cols(Φ) - rank(Φ) = cols(Φ) - rows(Φ)
    ! cols(Φ) - rank(Φ) = cols(Φ) | E15: n is the number of coordinates; the degrees of freedom are n − m
(2) rates of the canonical momenta @ holonomic
    p' = -∂_{q|p}(Hm) + Qf + Φ^T λ
    ! p' = -∂_{q|p}(Hm) + Qf - Φ^T λ | E1: with (6), (7) and σ̇ = λ the constraint forces have the sign +
(2, loads) what Q holds in (2) [text] @ holonomic
    p' = -∂_{q|p}(Hm) + Qf + Φ^T λ
    ! p' = -∂_{q|p}(Hm) + (Qf + ∂_{q|u}(u^T M u / 2) - ∂_{q}(V)) + Φ^T λ
        | E2: one symbol for two quantities; in (2) Q is what has no potential, for −∂H/∂q holds the centrifugal and potential forces, in (7) it is those as well
(3) constraints and their rate @ holonomic
    gap = 0
    ∂_k(gap) = Φ[1:3,k] for k ∈ tree
    Φ u = 0
    gap' = 0
(4) the Hamiltonian @ holonomic
    Hm = K + V = u^T p - (K - V)
(5) kinetic energy by momenta @ holonomic, loop, coupled
    K = u^T M u / 2 = u^T p / 2
    K = u^T Phat / 2
(6) augmented momenta @ holonomic, loop, coupled
    Phat = M u - Φ^T σ
    Phat' = (M u)' - Φ'^T σ - Φ^T λ
(7) rates of the augmented momenta @ holonomic
    Phat' = Qf + ∂_{q|u}(u^T M u / 2) - ∂_{q}(V) - Φ'^T σ
    ! Phat' = Qf - Φ'^T σ | E2: here Q holds ∂T/∂q − ∂V/∂q, which it does not in (2)
(8) speeds and impulses from momenta @ holonomic, loop, coupled
    [M, Φ^T; Φ, 0] [u; -σ] = [Phat; zeros(rows(Φ), 1)]

# Bodies and joints
(9) momentum about a point of the body @ coupled
    P_iO = [m_i 1, -m_i ~(l_G - l_O); m_i ~(l_G - l_O), J_i - m_i (~(l_G - l_O))^2] V_iO for O ∈ own(i)
(10) articulated momenta @ loop, chain
    Pbar_k = D_k σ_k + H_k p_k
    Pbar_2^X = -(D_2^X σ_2^X + H_2^X p_2^X) for X ∈ single
    P_1^X = D_1^X σ_1^X + H_1^X p_1^X - S_12^X (D_2^X σ_2^X + H_2^X p_2^X) for X ∈ single
    ! Pbar_2^X = D_2^X σ_2^X + H_2^X p_2^X for X ∈ single | E5: at handle 2 it is −(D σ + H p)
(11) allowed and constrained directions @ coupled
    D_k^T H_k = (D_k^T H_k)' = 0
    H_k^T H_k = 1
    (H_k^T H_k)' = 0
    D_k^T D_k = 1
    (D_k^T D_k)' = 0
(11, below) how the directions turn [text] @ coupled
    H'_k = diag(~ωj_k, ~ωj_k) H_k
    D'_k = diag(~ωj_k, ~ωj_k) D_k
    ! H'_k = 0 | E12: H and D consist of ones and zeros in the joint's axes only; if they were constants (61)–(77) would need no Ḣ and Ḋ
(12) a body's momentum, about handle 1 @ loop, chain
    M_1^X V_1^X = Pbar_1^X + S_12^X Pbar_2^X for X ∈ single
(13) a body's momentum, about handle 2 @ loop, chain
    M_2^X V_2^X = S_12^X^-1 Pbar_1^X + Pbar_2^X for X ∈ single
    M_2^X = S_12^X^-1 M_1^X S_12^X^-1^T for X ∈ single
(14) shift of wrenches and twists @ coupled
    P_iG = S_GO P_iO
    V_iO = S_GO^T V_iG
    S_GO[4:6,1:3] = ~(l_O - l_G)
(15) a body's velocity at handle 1 @ loop, chain
    V_1^X = ξ_11^X T_1^X + ξ_12^X T_2^X + M_1^X^-1 (H_1^X p_1^X - S_12^X H_2^X p_2^X) for X ∈ single
    ξ_11^X = M_1^X^-1 for X ∈ single
    ξ_12^X = M_1^X^-1 S_12^X for X ∈ single
    ! V_1^X = ξ_11^X T_1^X + ξ_12^X T_2^X + M_1^X^-1 (H_1^X p_1^X + S_12^X H_2^X p_2^X) for X ∈ single
        | E5: the momentum of the joint at handle 2 enters ξ10 with the sign −
(16) a body's velocity at handle 2 @ loop, chain
    V_2^X = ξ_21^X T_1^X + ξ_22^X T_2^X + M_2^X^-1 (S_12^X^-1 H_1^X p_1^X - H_2^X p_2^X) for X ∈ single
    ξ_22^X = M_2^X^-1 for X ∈ single
    ξ_21^X = M_2^X^-1 S_12^X^-1 for X ∈ single
    ! V_2^X = ξ_21^X T_1^X + ξ_22^X T_2^X + M_2^X^-1 (S_12^X^-1 H_1^X p_1^X + H_2^X p_2^X) for X ∈ single
        | E5: the momentum of the joint at handle 2 enters ξ20 with the sign −

# Merges
(17) V_1 of A
    V_1^A = ξ_11^A T_1^A + ξ_12^A T_2^A + ξ_10^A
(18) V_2 of A
    V_2^A = ξ_21^A T_1^A + ξ_22^A T_2^A + ξ_20^A
(19) V_1 of B
    V_1^B = ξ_11^B T_1^B + ξ_12^B T_2^B + ξ_10^B
(20) V_2 of B
    V_2^B = ξ_21^B T_1^B + ξ_22^B T_2^B + ξ_20^B
(21) V_1 of C
    V_1^C = ξ_11^C T_1^C + ξ_12^C T_2^C + ξ_10^C
(22) V_2 of C
    V_2^C = ξ_21^C T_1^C + ξ_22^C T_2^C + ξ_20^C
(23) relative velocity across a joint
    V_1^B - V_2^A = H_3 qd_3
(24) what the joint holds
    D_3^T (ξ_11^B T_1^B + ξ_12^B T_2^B + ξ_10^B) - D_3^T (ξ_21^A T_1^A + ξ_22^A T_2^A + ξ_20^A) = 0
(25) impulses on both sides of a joint
    T_1^B = -T_2^A = D_3 σ_3
    D_3 D_3^T (P_1^B - S_12^B Pbar_2^B) = -D_3 D_3^T S_12^A^-1 (P_1^A - Pbar_1^A) = D_3 σ_3
(26) σ of the joint between two runs
    σ_3 = -(D_3^T (ξ_11^B + ξ_22^A) D_3)^-1 D_3^T (ξ_12^B T_2^B - ξ_21^A T_1^A + ξ_10^B - ξ_20^A)
(26, below) when the inverse exists [text]
    positive(D_1^T ξ_11^C D_1) = 1
    ! positive(ξ_11^C) positive(zeros(6, 6)) = 1 | E3: the condition is Dᵀ (ξ11 + ξ22) D > 0; the ground's ξ is zero
(27) W
    W (ξ_11^B + ξ_22^A) D_3 = -D_3
    W = W^T
(28) β
    D_3^T (ξ_11^B β + ξ_10^B) = D_3^T (ξ_20^A - ξ_22^A β)
    β = D_3 D_3^T β
(29) the inner impulse
    T_1^B = -T_2^A = W ξ_12^B T_2^B - W ξ_21^A T_1^A + β
(30) V_1ᴬ by outer impulses
    V_1^A = (ξ_11^A + ξ_12^A W ξ_21^A) T_1^A - ξ_12^A W ξ_12^B T_2^B + ξ_10^A - ξ_12^A β
(31) V_2ᴮ by outer impulses
    V_2^B = -ξ_21^B W ξ_21^A T_1^A + (ξ_22^B + ξ_21^B W ξ_12^B) T_2^B + ξ_20^B + ξ_21^B β
(32) handle 1 of C
    V_1^C = V_1^A
    T_1^C = T_1^A = D_1 D_1^T (P_1^C - S_12^C Pbar_2^C)
(33) handle 2 of C
    V_2^C = V_2^B
    T_2^C = T_2^B = D_5 D_5^T S_12^C^-1 (P_1^C - Pbar_1^C)
(34) ξ11 and ξ12 of C
    ξ_11^C = ξ_11^A + ξ_12^A W ξ_21^A
    ξ_12^C = -ξ_12^A W ξ_12^B
(35) ξ21 and ξ22 of C
    ξ_21^C = -ξ_21^B W ξ_21^A
    ξ_22^C = ξ_22^B + ξ_21^B W ξ_12^B
    ξ_21^C = ξ_12^C^T
(36) ξ10 and ξ20 of C
    ξ_10^C = ξ_10^A - ξ_12^A β
    ξ_20^C = ξ_20^B + ξ_21^B β

# The whole system
(37) V_1 of the whole system @ loop, chain
    V_1^C = ξ_11^C T_1^C + ξ_12^C T_2^C + ξ_10^C
(38) V_2 of the whole system @ loop, chain
    V_2^C = ξ_21^C T_1^C + ξ_22^C T_2^C + ξ_20^C
(39) impulses at the ends
    T_1^C = D_1 σ_1 = (1 - H_1 H_1^T) (P_1^C - S_12^C Pbar_2^C)
    -T_2^C = D_5 σ_5 = -S_12^C^-1 (P_1^C - Pbar_1^C)
(40) joint velocities at the ends
    qd_1 = H_1^T V_1^C
    -qd_5 = H_5^T V_2^C
(41) a free system @ floating
    V_1^C = ξ_10^C
    V_2^C = ξ_20^C
    H_1 p_1 = P_1^C
(42) an open chain @ chain
    V_1^C = ξ_11^C T_1^C + ξ_10^C
(43) σ of an open chain @ chain
    σ_1 = -(D_1^T ξ_11^C D_1)^-1 D_1^T ξ_10^C
    V_2^C = ξ_20^C - ξ_21^C D_1 (D_1^T ξ_11^C D_1)^-1 D_1^T ξ_10^C
(44) a closed chain's ends @ loop, planar
    D^T ξ D [σ_1; -σ_5] + D^T ξ0 = 0
    ! D^T ξ D [σ_1; -σ_5] + D^T [ξ_10^{1}; ξ_20^{4}] = 0 | E11: ξ10, ξ20 are those of the whole system C, not a body's own
(45) σ of a closed chain's ends
    [σ_1; -σ_5] = -(D^T ξ D)^-1 D^T ξ0
    ! [σ_1; -σ_5] = -(D^T ξ D)^-1 D^T [ξ_10^{1}; ξ_20^{4}] | E11: ξ10, ξ20 are those of the whole system C, not a body's own
(45, planar) the inverse for a planar loop in space [text] @ planar
    rank(D^T ξ D) = 7
    ξ D [σ_1; -σ_5] = -ξ Dp (Dp^T ξ Dp)^-1 Dp^T ξ0 where Dp := diag(D_1, Din)
    ! (D^T ξ D)^-1 D^T ξ D = 1 | E3: the paper's own planar loops are redundant in space; the printed inverse does not exist
(46) joint velocities at the ends by σ @ loop, planar
    [qd_1; -qd_5] = H^T ξ D [σ_1; -σ_5] + H^T ξ0
    ! [qd_1; -qd_5] = H^T ξ D [σ_1; -σ_5] + H^T [ξ_10^{1}; ξ_20^{4}] | E11: ξ10, ξ20 are those of the whole system C, not a body's own

# Moving points
(47) Newton and Euler about the centre @ single
    P'_iG = load_i
(48) momenta and loads shift alike @ coupled
    P_iG = S_GO P_iO
    Q_iG = S_GO Q_iO
    load_i = S_GO [load_i[1:3]; load_i[4:6] + (l_G - l_O) × load_i[1:3]]
(49) the shift back is the inverse @ coupled
    S_GO^-1 = S_OG
    S_GO S_OG = 1
(50) a shift times its rate @ coupled
    S_OG S'_OG = S'_OG = S'_OG S_OG
(50, in 51) the product that leads from (47) to (51) @ coupled
    S_OG S'_GO = S'_GO
    ! S_OG S'_GO = S'_OG | E16: (50) is stated for S_OC Ṡ_OC, and holds for the product with every Ṡ
(51) motion about a moving point, relative @ coupled
    P'_iO + S'_GO P_iO = S_OG P'_iG
(52) motion about a moving point, absolute @ coupled
    P'_iO + [0, 0; ~l'_O, 0] P_iO = S_OG P'_iG
(53) the rate of a shift by the point's velocity @ coupled
    S'_GO P_iO = [0, 0; ~l'_O, 0] P_iO

# Rates of momenta
(54) motion of A @ swung, chain
    P_1^A' + Sd_1^A P_1^A = Q_1^A + F_1^A + S_12^A F_2^A
    P_1^X' + Sd_1^X P_1^X = Q_1^X + F_1^X + S_12^X F_2^X for X ∈ single
    H_k^T F_k = 0 for k ∈ tree
(55) motion of B @ swung, chain
    P_1^B' + Sd_1^B P_1^B = Q_1^B + F_1^B + S_12^B F_2^B
(56) inner force eliminated @ swung
    P_1^A' + S_12^A P_1^B' + Sd_1^A P_1^A + Sd_1^B P_1^B = Q_1^A + S_12^A Q_1^B + F_1^A + S_12^A S_12^B F_2^B
    Sd_1^B = Sd_1^A + S_12^A'
(57) as a total derivative @ swung
    (P_1^A + S_12^A P_1^B)' + Sd_1^A (P_1^A + S_12^A P_1^B) = Q_1^A + S_12^A Q_1^B + F_1^A + S_12^A S_12^B F_2^B
(58) accumulated momenta and loads @ swung
    P_1^C = P_1^A + S_12^A P_1^B
    Q_1^C = Q_1^A + S_12^A Q_1^B
    S_12^C = S_12^A S_12^B
(59) forces at the handles @ swung
    F_1^C = F_1^A = P_1^C' + Sd_1^C P_1^C - Q_1^C - S_12^C F_2^B
    S_12^C F_2^C = S_12^C F_2^B = P_1^C' + Sd_1^C P_1^C - Q_1^C - F_1^A
    Sd_1^C = Sd_1^A
(60) motion of C @ swung
    P_1^C' + Sd_1^C P_1^C = Q_1^C + F_1^C + S_12^C F_2^C
(61) rate of the accumulated momentum @ swung
    (H_1^T P_1^C)' = H_1^T (Q_1^C - Sd_1^C P_1^C + S_12^C F_2^C) + H'_1^T P_1^C
(61, two momenta) two momenta by one name, in (61) and (67) [text] @ swung
    H_1^T P_1^C = p_1 + H_1^T S_12^C Pbar_2^C
    ! H_1^T P_1^C = p_1 | E6: H_1ᵀ P_1 of the accumulated momentum is not the state p_1, of the articulated one
(62) the cut has no joint momentum @ swung
    Pbar_2^C = T_2^C = S_12^C^-1 (P_1^C - Pbar_1^C)
    H_5^T Pbar_2^C = 0
(63) accumulated and articulated momenta at handle 1 @ swung, chain
    P_1^X = Pbar_1^X + S_12^X Pbar_2^X
    P_1^X = Pbar_1^X + S_12^X Pbar_2^X for X ∈ single
(64) accumulated and articulated momenta at handle 2 @ swung, chain
    P_2^X = S_12^X^-1 Pbar_1^X + Pbar_2^X
    P_2^X = S_12^X^-1 Pbar_1^X + Pbar_2^X for X ∈ single
(65) motion with a cut, E10: S_1 is defined nowhere, and any shift matrix will do @ swung
    Pbar_1^C' + Sd_1^C Pbar_1^C + (Sn_1 S_12^C' + Sd_1^C S_12^C) Pbar_2^C - S_12^C D'_5 σ_5 = Q_1^C + F_1^C where Sn_1 as S := S_12^C
(65, no shift) motion with a cut, without that matrix [own] @ swung
    Pbar_1^C' + Sd_1^C Pbar_1^C + (S_12^C' + Sd_1^C S_12^C) Pbar_2^C - S_12^C D'_5 σ_5 = Q_1^C + F_1^C
(65, sign) the cut's term @ swung
    Pbar_1^C' + Sd_1^C Pbar_1^C + (S_12^C' + Sd_1^C S_12^C) P_2 - S_12^C D'_5 σ_5 = Q_1^C + F_1^C where P_2 as P̄ := -D_5 σ_5
    ! Pbar_1^C' + Sd_1^C Pbar_1^C + (S_12^C' + Sd_1^C S_12^C) P_2 - S_12^C D'_5 σ_5 = Q_1^C + F_1^C where P_2 as P̄ := D_5 σ_5
        | E5: holds as printed with P̄_2 = −D_2 σ_2 alone, not with the + of (10), (62)
(66) simplified @ swung
    Pbar_1^C' + Sd_1^C Pbar_1^C + Sd_2^C P_2 - S_12^C D'_5 σ_5 = Q_1^C + F_1^C where P_2 as P̄ := -D_5 σ_5
    ! Pbar_1^C' + Sd_1^C Pbar_1^C + Sd_2^C P_2 - S_12^C D'_5 σ_5 = Q_1^C + F_1^C where P_2 as P̄ := D_5 σ_5
        | E5: holds as printed with P̄_2 = −D_2 σ_2 alone, not with the + of (10), (62)
(67) rate of the first momentum @ swung
    p'_1 = H_1^T (Q_1^C - Sd_1^C Pbar_1^C - Sd_2^C P_2 + S_12^C D'_5 σ_5) + H'_1^T Pbar_1^C where P_2 as P̄ := -D_5 σ_5
    ! p'_1 = H_1^T (Q_1^C - Sd_1^C Pbar_1^C - Sd_2^C P_2 + S_12^C D'_5 σ_5) + H'_1^T Pbar_1^C where P_2 as P̄ := D_5 σ_5
        | E5: holds as printed with P̄_2 = −D_2 σ_2 alone, not with the + of (10), (62)
(68) rate at the cut @ swung
    H_5^T Pbar_2^C' + H'_5^T Pbar_2^C = (H_5^T Pbar_2^C)' = 0
(68, below) an identity of H and D [text] @ swung, coupled
    H_c^T D'_c = -H'_c^T D_c
    ! H_c^T D'_c = -H'_c D_c | E4: Ḣ_2 lacks a transposition; as printed the shapes do not fit
(69) rate of any joint's momentum @ chain, loop, swung, coupled, holonomic, planar
    p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
    ! p'_k = H_k^T (Qj_kk - Sd_k Pbar_k - Σ_e sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
        | E7: Q is all load beyond joint k, not that of one body K
(69, several cuts) rate with several cuts beyond the joint @ coupled
    p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
    ! p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_{e∈first(k)} sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
        | E8: the cut's terms are summed over all cut sides on bodies beyond joint k
(69, sliding cut) rate with a cut that slides @ coupled
    p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
    ! p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e sg_e ([0, 0; ~vm_e, 0] Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
        | E9: v_c is the velocity of the moving handle, not of the body's point under it
(69, inner cut) a cut wholly beyond the joint [own] @ coupled
    Σ_{e∈both(k)} sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e = 0 for k ∈ around
    Σ_{e∈both(k)} 1 = 2 for k ∈ around

# Loads
(70) articulated loads of A @ loop, chain
    Q_1^A = Qbar_1^A + S_12^A Qbar_2^A
(71) articulated loads of B, and of a single body in its place @ loop, chain
    Q_1^X = Qbar_1^X + S_12^X Qbar_2^X for X ∈ alike(B)
(72) loads on both sides of a joint
    Qbar_1^B = -Qbar_2^A
    Q_1^B = -S_12^A^-1 (Q_1^A - Qbar_1^A)
(73) loads of A and B together, and of inner runs
    Q_1^X + S_12^X Q_1^Y = Qbar_1^X + S_12^X S_12^Y Qbar_2^Y for X ∈ front
(74) articulated loads of C, and of A in its place @ loop, chain
    Q_1^X = Qbar_1^X + S_12^X Qbar_2^X for X ∈ alike(C)
(75) the load at the base
    Qbar_1^A = Q_1^C = Q_1^A + S_12^A Q_1^B
    Qbar_2^C = 0
(76) loads back down the tree
    Qbar_1^Y = Q_1^Y - S_12^Y Qbar_2^Y = -Qbar_2^X for X ∈ front
(77) the momenta's rates from articulated loads @ chain, loop, swung, coupled, holonomic, planar
    p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e sg_e (Sdc_e Dc_e + Sc_ke Dc'_e) σc_e) + H'_k^T Pbar_k for k ∈ tree
    ! p'_k = H_k^T (Qbar_k - Sd_k Pbar_k - Σ_e Sdc_e P_e + Σ_e Sc_ke Dc'_e σc_e) + H'_k^T Pbar_k for k ∈ tree where P_e as P̄ := Dc_e σc_e
        | E5, E8: with P̄_c = D_c σ_c of (10), (62) both terms of a cut's side have the sign −s, and all sides are summed
(Sect. 3.4) scaled directions against growing σ [text]
    (1000 D_5) (σ_5 / 1000) = T_5
    T'_5 = (1000 D_5) (λ_5 / 1000) + (1000 D'_5) (σ_5 / 1000)
    ! (1000 D_5) (σ_5 / 1000) = T_5 / 1000
        | E13: scaling D changes the number σ, not the impulse T, nor the momenta that hold it

# Merges of the program
(34, program) Ξ of two nodes of the program dca, which one joint connects [own] @ merges-3, merges-4
    Ξ_{n1} = Ξ_{n1}^T
    Ξ_{n1} = Ξ_3[6:10,6:10] - Ξ_3[6:10,1:5] (Ξ_3[1:5,1:5] + Ξ_4)^-1 Ξ_3[1:5,6:10]
(36, program) ξ of two nodes of the program dca, which one joint connects [own] @ merges-3, merges-4
    ξ_{n1} = ξ_3[6:10] - Ξ_3[6:10,1:5] (Ξ_3[1:5,1:5] + Ξ_4)^-1 (ξ_3[1:5] + ξ_4)
