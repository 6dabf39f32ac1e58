paper recursive-formulation: recursive formulations: d'Alembert, effective masses, closed loops
at tree
index j : body
index k : out(j)
index x, y : coordinate
index i : speed
index n : two
index d : three
index h : kept
index b : place
letter R_j : 3×3, rotation of body j
letter r_j, ω_j : 3×1, centroid and angular velocity of body j, inertial axes
letter v_j : 6×1, (ṙ, ω)
letter q_j : coordinates of joint j, one below the other
letter τ_j : forces along the coordinates of joint j
letter f_x as τ : 1×1, the force along one coordinate
letter F_j : 6×1, load (force, moment) on body j at its centroid
constant Bi_j as Bⁱ, Bj_j as Bʲ : 3×3, the joint's frames in its bodies
letter C_j, Cf_j as Cᶠ : 3×3, rotation in the joint, in its own frame; as a function of its coordinates
letter c_j, cf_j as cᶠ : 3×1, place in the joint, in its own frame; as a function of its coordinates
letter cv_j as cᵛ, bi_j as bⁱ, bj_j as bʲ : 3×1, place in the joint and arms of its points, inertial axes
letter W_j, cq_j as ∂c : 3×n, the joint's axes and slopes of its place, own frame
constant m_j, J_j : mass, and inertia of body j about its centroid, own axes
letter P_j : 6×1, momentum and spin about the centroid, by particles
letter Wp_j as Wᵖ : 6×1, what moves the particles of body j, force and moment about the centroid
letter U_jx as δu : 6×1, velocity of body j where one coordinate moves, at unit rate
letter dq_jx as δq : unit coordinate x of joint j, none of another's
letter need_x as Qⁿ : 1×1, what a joint must give along a coordinate beside loads, by particles
letter Mq as M : mass matrix by particles
letter fq as f : what accelerates the coordinates, by particles
letter b12 as b¹² : 3×1, an arm of body 1 to a joint 2, which there is not
letter cu_jn as c, su_jn as s : 1×1, cosine and sine of the n-th coordinate of joint j
constant Nf_j as Nᶠ : picks the coordinates of joint j that are not driven
constant Nd_j as Nᵈ : 1 for coordinates of joint j that are driven, 0 for others
constant pc_j as p : 3×1, point of body 3 or 5 at which a loop is cut, own axes
letter σ : 1×1, a factor that makes the cut's condition depend on the time
letter hx_jd as δh : 3×1, what the condition changes by where body j goes by 1 along its d-th axis
letter λ : 3×1, multipliers of the cut's condition
letter x_j, X_ij, Y_j : 3×n, particles' places, partial velocities, rest
letter Sx_jx as ∂x : 3×n, slopes of the particles' places, along the motion
letter qd_x as q : 1×1, a coordinate
constant μ_j : diagonal matrix of the particles' masses
constant ones_j as 1 : a column of 1, one for each particle
letter fp_j as f : 3×n, a force on each particle
letter tp_j as T : 3×1, its moment about the centroid, by particles
constant grav as g : 3×1, gravity
letter needg_x as Qᵍ : 1×1, what a joint must give along a coordinate beside weights, by particles
letter u, u_i, V, Wk as W, qf as q : generalised speeds u = V q̇ + W, of the coordinates that are free
letter K, Ks as K* : generalised active and inertia forces, by particles
letter left as L : what Lagrange's equations of the free coordinates lack
letter left_x as L : 1×1, the same along one coordinate
letter Vx_ij as v, V0_j as v_t : 6×1, what one more of a speed adds to (ṙ, ω); what none leaves
letter xu_ij as δv : 3×n, what one more of a speed adds to the particles' velocities
letter xd_j as δv : 3×n, what changes δu of all speeds add to the particles' velocities
letter δ_i as δu : 1×1, a change of a speed
letter ρ, l, φ : a pendulum's place, its length and angle
letter cφ as cos(φ), sφ as sin(φ), mp as m, γ as g, λp as λ : 1×1, of the pendulum, with mass, gravity, the rod's pull
letter ca_d as cα, sa_d as sα, cb_n as c, sb_n as s, α_d, qs_n as q : 1×1, angles of Appendix C, cosines and sines
letter Ra as Rⁱ, Ba as Bⁱᵏ, Ca as Cᵏ, Bb as Bʲᵏ : 3×3, rotations that change with the time, each in its own frame
letter Me as Mᵖ, pe as pᵖ, ae as v̇ : a beam's mass matrix, its other terms, (r̈, ω̇, η̈) of its motion, as the program has them
letter Mw as M, pw as p : the same with every integral over the beam written out
letter Vp_j as vᵖ, ap_j as v̇ᵖ : 6×1, velocity and, over the rising ground, acceleration by the program
letter Bp_j as Bᵖ, Dp_j as Dᵖ, gp_j as gᵖ : B, D and second rates of the coordinates by the program
letter Mp_j as M̂ᵖ, Qp_j as Q̂ᵖ : effective mass and load by the program, with what outer bodies leave
letter Rp_j as Mᵖ, Sp_j as Qᵖ : effective mass and load that joint j leaves to the inner body, by the program
define Fi_j as Fⁱ := R_pj Bi_j | the joint's frame on its inner body
define Fj_j as Fʲ := R_j Bj_j | the joint's frame on its outer body
define w_j := Fi_j W_j | axes in inertial axes
define S_j as c_q := Fi_j cq_j | slopes of c in inertial axes
define z_j := bi_j + cv_j - bj_j | (3.31)
define A_j := [1, -~z_j; 0, 1] | (3.28)
define B_j := [S_j - w_j × bj_j; w_j] | (3.30)
define D_j := A'_j v_pj + B'_j q'_j | (3.36)
define M_j := [m_j eye(3), 0; 0, R_j J_j R_j^T] | (3.46)
define Q_j := F_j - [zeros(3, 1); ω_j × R_j J_j R_j^T ω_j] | (3.48)
define Mh_j as M̂ := M_j + Σ_k Mr_k | (3.58)
define Qh_j as Q̂ := Q_j + Σ_k Qr_k | (3.58)
define Mr_j as M_r := A_j^T Mh_j A_j - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 B_j^T Mh_j A_j | (3.53), (3.59)
define Qr_j as Q_r := A_j^T (Qh_j - Mh_j D_j) - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 (τ_j + B_j^T (Qh_j - Mh_j D_j)) | (3.54), (3.60)
define qdd_j as g := -(B_j^T Mh_j B_j)^-1 (B_j^T (Mh_j A_j acc_pj + Mh_j D_j - Qh_j) - τ_j) | (3.57)
define acc_j as v̇ᵍ := A_j acc_pj + B_j qdd_j + D_j
define acc_0 as v̇ᵍ := zeros(6, 1)
define Bf_j as Bᶠ := B_j Nf_j | of the coordinates that are not driven
define Df_j as Dᶠ := D_j + B_j Nd_j q''_j | with what drives give
define Md_j as M̂ᵈ := M_j + Σ_k Rd_k | with driven joints
define Qd_j as Q̂ᵈ := Q_j + Σ_k Sd_k | with driven joints
define Rd_j as Mᵈ := A_j^T Md_j A_j - {j∈loose} A_j^T Md_j Bf_j (Bf_j^T Md_j Bf_j)^-1 Bf_j^T Md_j A_j | (4.3) where all of a joint is driven
define Sd_j as Qᵈ := A_j^T (Qd_j - Md_j Df_j) - {j∈loose} A_j^T Md_j Bf_j (Bf_j^T Md_j Bf_j)^-1 (Nf_j^T τ_j + Bf_j^T (Qd_j - Md_j Df_j)) | (4.4) where all of a joint is driven
define Mj_jh as M := M_j + Σ_{k∈cut(j,h)} Mr_k | with what is left to it by bodies after h
define Qj_jh as Q := Q_j + Σ_{k∈cut(j,h)} Qr_k
define Dj_jh as Mᵈ := M_j + Σ_{k∈cut(j,h)} Rd_k | the same with driven joints
define Ej_jh as Qᵈ := Q_j + Σ_{k∈cut(j,h)} Sd_k
define a_j := R_j pc_j
define hu_3 as h_u := σ [eye(3), -~a_3;] | (4.6)
define hu_5 as h_u := -σ [eye(3), -~a_5;] | (4.6)
define gap as Δ := r_3 + a_3 - r_5 - a_5
define H as h := σ gap | (4.9)
define Huu as h_uu := σ (~ω_3 ~ω_3 a_3 - ~ω_5 ~ω_5 a_5) | (h_u v)_u v
define wa as ωⁱ := axial(Ra' Ra^T) | (B.6)
define wb as ωʲ := axial(Rb' Rb^T) | (B.7)
define Fa as eⁱᵏ := Ra Ba
define Fb as eʲᵏ := Fa Ca
define Rb as Rʲ := Fb Bb^T
define Ta as B := Ra Ba Ra^T | B^ik as a tensor, in inertial axes
define wik as ωⁱᵏ := Ra axial(Ba' Ba^T) | (B.15)
define wk as ωᵏ := Fa axial(Ca' Ca^T) | (B.17)
define wjk as ωʲᵏ := Rb axial(Bb' Bb^T) | (B.18)
define e3 as e_3 := [0; 0; 1]
define Re as R¹ := [ca_2 ca_3, -ca_2 sa_3, sa_2; ca_1 sa_3 + sa_1 sa_2 ca_3, ca_1 ca_3 - sa_1 sa_2 sa_3, -sa_1 ca_2; sa_1 sa_3 - ca_1 sa_2 ca_3, sa_1 ca_3 + ca_1 sa_2 sa_3, ca_1 ca_2] | (C.3)
define Ce as C¹ := [cb_2, 0, sb_2; sb_1 sb_2, cb_1, -sb_1 cb_2; -cb_1 sb_2, sb_1, cb_1 cb_2] | (C.6)
define we as ω¹ := [α'_1 + α'_3 sa_2; α'_2 ca_1 - α'_3 sa_1 ca_2; α'_2 sa_1 + α'_3 ca_1 ca_2] | (C.13)
define wr as ω¹² := [qs'_1; qs'_2 cb_1; qs'_2 sb_1] | (C.14)
define We as W := [ca_2 ca_3, -ca_2 sa_3 cb_1 + sa_2 sb_1; ca_1 sa_3 + sa_1 sa_2 ca_3, (ca_1 ca_3 - sa_1 sa_2 sa_3) cb_1 - sa_1 ca_2 sb_1; sa_1 sa_3 - ca_1 sa_2 ca_3, (sa_1 ca_3 + ca_1 sa_2 sa_3) cb_1 + ca_1 ca_2 sb_1] | (C.34)
define Wt as Ẇ := ~ω_1 We + Re [0, 0; 0, -sb_1 qs'_1; 0, cb_1 qs'_1]
define ze as z := [ze_1; ze_2; ze_3]
define ze_1 as z := sa_2 + ca_2 ca_3 sb_2 + ca_2 sa_3 sb_1 cb_2 + sa_2 cb_1 cb_2 | (C.29)
define ze_2 as z := -sa_1 ca_2 + (ca_1 sa_3 + sa_1 sa_2 ca_3) sb_2 - (ca_1 ca_3 - sa_1 sa_2 sa_3) sb_1 cb_2 - sa_1 ca_2 cb_1 cb_2 | (C.30)
define ze_3 as z := ca_1 ca_2 + (sa_1 sa_3 - ca_1 sa_2 ca_3) sb_2 - (sa_1 ca_3 + ca_1 sa_2 sa_3) sb_1 cb_2 + ca_1 ca_2 cb_1 cb_2 | (C.31)
define be as b²¹ := [be_1; be_2; be_3]
define be_1 as b²¹ := -ca_2 ca_3 sb_2 - ca_2 sa_3 sb_1 cb_2 - sa_2 cb_1 cb_2 | (C.36)
define be_2 as b²¹ := -(ca_1 sa_3 + sa_1 sa_2 ca_3) sb_2 + (ca_1 ca_3 - sa_1 sa_2 sa_3) sb_1 cb_2 + sa_1 ca_2 cb_1 cb_2 | (C.37)
define be_3 as b²¹ := -(sa_1 sa_3 - ca_1 sa_2 ca_3) sb_2 + (sa_1 ca_3 + ca_1 sa_2 sa_3) sb_1 cb_2 - ca_1 ca_2 cb_1 cb_2 | (C.38)
define b11 as b¹¹ := R_1 e3 | (C.26)
define b21 as b²¹ := -R_2 e3 | (C.27)
define Bt as Ḃ := [~b21' We + ~be Wt; Wt] | (C.46)

# Introduction
(1.1) q̈ = g(q, q̇, t): accelerations that are found explicitly @ true
    q''_j = qdd_j
    v'_j = acc_j
(1.2) M(q, t) q̈ = f(q, q̇, t) @ true
    Mq col_j(qdd_j) = fq
(1.3) the form ẋ = c(x, t) that integrators start from [defines]
(1.4) x = (s, q) [defines]
(1.5) c = (g, s) [defines]
(1.6) A q̈ = b, the same as (1.2) [see 1.2]

# d'Alembert, Lagrange and Kane
(2.1) Newton–Euler equations of each body
    Wp_j[1:3] = m_j r''_j
    Wp_j[4:6] = N_j ω'_j + ω_j × N_j ω_j where N_j := R_j J_j R_j^T
(2.2) d'Alembert's principle, summed over all bodies @ unaided
    Σ_j U_jx^T (M_j v'_j - Q_j) = 0
(2.2, joints) what joints give along coordinates beside the loads on bodies [own]
    Σ_j U_jx^T (M_j v'_j - Q_j) = need_x
(2.3) Lagrange's equations by independent coordinates, with the slopes of T and U by particles @ kane
    needg_x = (Σ_j tr(x'_j μ_j Sx_jx^T))' - Σ_j tr(x'_j μ_j Sx'_jx^T) - Σ_j grav^T Sx_jx μ_j ones_j
(2.4) Lagrange's equations by coordinates that depend on each other @ pendulum
    [e, l w;]^T (mp ρ'' + [0; mp γ] - λp e) = mp [l''; 2 l l' φ' + l^2 φ''] - mp [l φ'^2; 0] + mp γ [-cφ; l sφ] - [1; 0] λp
        where e := [sφ; -cφ], w := [cφ; sφ]
(2.5) h(q, t) = 0 @ pendulum
    ρ^T ρ = l^2
(2.6) R q̇ = −∂h/∂t @ pendulum
    [1, 0;] [ρ^T ρ' / l; φ'] = l'
(2.7) R = ∂h/∂q @ pendulum
    [sφ; -cφ]^T [e, l w;] = [1, 0;] where e := [sφ; -cφ], w := [cφ; sφ]
(2.8) velocity equations R q̇ = c, from which R is read where h is not holonomic [defines]
(2.9) Kane's equations, as (A.14) @ speeding
    K + Ks = 0
(2.10) generalised active forces, as (A.17) @ kane
    Σ_j tr(fp_j X_ij^T) = Σ_j ((fp_j ones_j)^T Vx_ij[1:3] + tp_j^T Vx_ij[4:6])
    ! Σ_j tr(fp_j X_ij^T) = Σ_j (fp_j ones_j)^T Vx_ij[1:3]
        | np counts mass points, not bodies: of a rigid body the resultant's moment counts too
(2.11) generalised inertia forces, as (A.18) @ kane
    Ks[i] = -Σ_j m_j r''_j^T Vx_ij[1:3] - Σ_j (N_j ω'_j + ω_j × N_j ω_j)^T Vx_ij[4:6] where N_j := R_j J_j R_j^T
    ! Ks[i] = -Σ_j m_j r''_j^T Vx_ij[1:3]
        | np counts mass points, not bodies: of a rigid body the inertia's moment counts too

# Topology
(3.1) the body connection array of Fig. 3.1 @ figure
    {p(1)=0, p(2)=1, p(3)=2, p(4)=3, p(5)=3, p(6)=5, p(7)=6, p(8)=4, p(9)=8, p(10)=4} = 1
    {p(b)<b} = 1
(3.2) i = β_j, i < j: every body comes after the one that it hangs on
    {p(j)<j} = 1

# Kinematics
(3.3) R^i turns the ground's axes to those of body i [defines]
(3.4) R^j, the same of body j [defines]
(3.5) B^ik turns body i's axes to those of the joint's frame on it [defines]
(3.6) B^jk, the same of body j [defines]
(3.7) C^k turns the joint's frame on body i to that on body j
    Fj_j = T_j Fi_j where T_j := Fi_j C_j Fi_j^T
    Bi_j Bi_j^T = 1
    Bj_j Bj_j^T = 1
    C_j C_j^T = 1
    R_j R_j^T = 1
(3.8) rotation of a body, by tensors and by matrices
    R_j = T_j^T (Fi_j C_j Fi_j^T) S_j R_pj where T_j := R_j Bj_j R_j^T, S_j := R_pj Bi_j R_pj^T
    R_j = R_pj Bi_j C_j Bj_j^T
(3.9) ω^i, the axial vector of Ṙ^i (R^i)ᵀ [defines]
(3.10) ω^j, the same of body j [defines]
(3.11) ω^ij is the axial vector of Ċ Cᵀ in the joint's frame
    ω_j - ω_pj = Fi_j axial(C'_j C_j^T)
(3.12) C is a function of the joint's coordinates
    C_j = Cf_j
(3.13) ω^ij = w q̇
    ω_j - ω_pj = w_j q'_j
(3.14) w are the axial vectors of ∂C/∂q Cᵀ
    ~(W_j dq_jx) = ∂_x(C_j) C_j^T for x∈own(j)
(3.15) angular velocity from the inner body's
    ω_j = ω_pj + w_j q'_j
(3.16) place of a centroid
    r_j = r_pj + d_j where d_j as rⁱʲ := bi_j + cv_j - bj_j
    r_j = P_j where P_j := P_pj + bi_j + Fi_j cf_j - bj_j, P_0 := zeros(3, 1)
    R_j = T_j where T_j := T_pj Bi_j Cf_j Bj_j^T, T_0 := eye(3)
(3.17) r^ij = b^ik + c^k − b^jk
    r_j - r_pj = bi_j + cv_j - bj_j
(3.18) velocity of a centroid, derived step by step
    r'_j = r'_pj + bi'_j + cv'_j - bj'_j
(3.19) ḃ^ik = ω^i × b^ik
    bi'_j = ω_pj × bi_j
(3.20) ḃ^jk = ω^j × b^jk
    bj'_j = ω_j × bj_j
(3.21) ċ = ω^i × c and the rate that is seen from the joint's frame
    cv'_j = ω_pj × cv_j + Fi_j c'_j
(3.22) c is a function of the joint's coordinates
    c_j = cf_j
    c'_j = cq_j q'_j
    c''_j = cq_j q''_j + cq'_j q'_j
(3.23) ċ = ω^i × c + ∂c/∂q q̇
    cv'_j = ω_pj × cv_j + S_j q'_j
(3.24) ḃ^jk = ω^i × b^jk + w q̇ × b^jk
    bj'_j = ω_pj × bj_j + w_j q'_j × bj_j
(3.25) ṙ^j by ω^i and by the joint's q̇
    r'_j = r'_pj + ω_pj × (bi_j + cv_j - bj_j) + (S_j - w_j × bj_j) q'_j
(3.26) velocity from the inner body's
    v_j = A_j v_pj + B_j q'_j
(3.26, hybrid) A and v in the screw paper's order [own]
    T A_j T = Ad(r_pj - r_j) where T := [zeros(3, 3), eye(3); eye(3), zeros(3, 3)]
    [zeros(3, 3), eye(3); eye(3), zeros(3, 3)] v_j = [ω_j; r'_j]
(3.27) v^j = (ṙ^j, ω^j) [defines]
(3.28) A = [[1, −Z], [0, 1]]
    A_j = [1, -~(r_j - r_pj); 0, 1]
(3.29) v^i = (ṙ^i, ω^i) [defines]
(3.30) B = [∂c/∂q − w × b^jk; w]
    U_jx = [S_j - w_j × bj_j; w_j] dq_jx for x∈own(j)
(3.31) Z = ~(b^ik + c^k − b^jk)
    ~(bi_j + cv_j - bj_j) = ~(r_j - r_pj)
(3.32) virtual displacements
    U_jx = A_j U_pjx + B_j dq_jx
(3.33) δu^j = (δr^j, δπ^j) [defines]
(3.34) δu^i = (δr^i, δπ^i) [defines]
(3.35) acceleration from the inner body's
    v'_j = A_j v'_pj + B_j q''_j + D_j
(3.36) D = Ȧ v^i + Ḃ q̇
    v'_j - A_j v'_pj - B_j q''_j = A'_j v_pj + B'_j q'_j
(3.37) Ȧ = [[0, −Ż], [0, 0]]
    A'_j = [0, -~(r'_j - r'_pj); 0, 0]
(3.38) Ḃ, by what each coordinate's axis and slope change by
    B'_j = [S'_j + (ω_j × bj_j) × w_j + bj_j × w'_j; w'_j]
    ~(W'_j dq_jx) = Σ_{y∈own(j)} (∂_xy(C_j) C_j^T + ∂_x(C_j) ∂_y(C_j)^T) dq_jy^T q'_j for x∈own(j)
    cq'_j dq_jx = Σ_{y∈own(j)} ∂_xy(c_j) dq_jy^T q'_j for x∈own(j)
(3.39) rates of a joint's axes
    ω'_j - ω'_pj - w_j q''_j = ω_pj × w_j q'_j + Fi_j W'_j q'_j
    w'_j = ~ω_pj w_j + Fi_j W'_j
    ! w'_j = Fi_j W'_j | ω^i × w is missing: w turns with the inner body; c_q in (3.38) does so too
(3.40) universal joint: c = 0
    c_j = 0 for j∈universal
(3.41) universal joint: e^jk = C · e^ik
    Fj_j = (Σ_d Fj_j[1:3,d] Fi_j[1:3,d]^T) Fi_j for j∈universal
(3.42) C as a sum of dyads, and by its matrix
    Σ_d Fj_j[1:3,d] Fi_j[1:3,d]^T = Fi_j C_j Fi_j^T for j∈universal
(3.43) C of a universal joint, entry by entry
    C_j = [cu_j2, 0, su_j2; su_j1 su_j2, cu_j1, -su_j1 cu_j2; -cu_j1 su_j2, su_j1, cu_j1 cu_j2] for j∈universal

# Dynamics
(3.44) the principle, summed over all bodies @ unaided
    Σ_j U_jx^T (M_j v'_j - Q_j) = 0
    ! Σ_{j∈first(h)} U_jx^T (M_j v'_j - Q_j) = 0 for h≠5
        | the sum runs to nb: n is defined nowhere, and with fewer bodies it is not zero
(3.45) δu = (δr, δπ) [defines]
(3.46) M = diag(m 1, J)
    P_j = [m_j eye(3), 0; 0, R_j J_j R_j^T] v_j
(3.47) v̇ = (r̈, ω̇) [defines]
(3.48) Q = (F, T − ω × J ω)
    F_j - [zeros(3, 1); ω_j × R_j J_j R_j^T ω_j] = M_j v'_j - (Wp_j - F_j)
(3.49) the last body's term of the sum by itself @ unaided
    Σ_{j: j≠5} U_jx^T (M_j v'_j - Q_j) + U_5x^T (M_5 v'_5 - Q_5) = 0
(3.50) the last body's motion by that of its inner body and of its joint @ unaided
    Σ_{j: j≠h} U_jx^T (M_j v'_j - Q_j)
        + (U_phx^T A_h^T + dq_hx^T B_h^T) (M_h A_h v'_ph + M_h B_h q''_h + M_h D_h - Q_h) = 0 for h∈leaf
(3.51) q̈ of the outermost joint @ unaided
    q''_j = -(B_j^T M_j B_j)^-1 (B_j^T (M_j A_j v'_pj + M_j D_j - Q_j)) for j∈leaf
(3.52) the principle without the outermost body @ unaided
    Σ_{j∈first(h)} U_jx^T ((M_j + Σ_{k∈cut(j,h)} Mr_k) v'_j - (Q_j + Σ_{k∈cut(j,h)} Qr_k)) = 0 for h=4, x∈moving(h)
(3.53) effective mass of the outermost body @ unaided
    A_j^T (M_j v'_j - Q_j) = (A_j^T M_j A_j - A_j^T M_j B_j (B_j^T M_j B_j)^-1 B_j^T M_j A_j) v'_pj - Qr_j for j∈leaf
    A_j^T M_j (A_j - B_j G) = Mr_j for j∈leaf where G := (B_j^T M_j B_j)^-1 B_j^T M_j A_j
    Mr_j = Mr_j^T for j∈leaf
(3.54) effective load of the outermost body @ unaided
    A_j^T (M_j v'_j - Q_j) = Mr_j v'_pj - L_j for j∈leaf where L_j := A_j^T (Q_j - M_j D_j)
        - A_j^T M_j B_j (B_j^T M_j B_j)^-1 (B_j^T Q_j - B_j^T M_j D_j)
    ! A_j^T (M_j v'_j - Q_j) = Mr_j v'_pj - L_j for j∈leaf where L_j := A_j^T (M_j D_j - Q_j)
        - A_j^T M_j B_j (B_j^T M_j B_j)^-1 (B_j^T M_j D_j - B_j^T Q_j)
        | the printed bracket is −Q_r: (3.52) has − (Q + Q_r); our copy is damaged between M and the last Q
(3.55) the principle down to body h + 1 @ unaided
    Σ_{j∈first(h)} U_jx^T (Mj_jh v'_j - Qj_jh) = 0 for x∈moving(h)
    ! Σ_{j∈first(h)} U_jx^T (Mj_jh ({j∈bearing(h)} v'_pj + {j∈bare(h)} v'_j) - Qj_jh) = 0 for x∈moving(h)
        | v̇ of body h + 1, as in (3.52) and (3.58); the first = is a + alone
(3.56) body h + 1's motion by that of its inner body and of its joint @ unaided
    Σ_{j∈before(h)} U_jx^T (Mj_jh v'_j - Qj_jh)
        + (U_phx^T A_h^T + dq_hx^T B_h^T) (Mj_hh (A_h v'_ph + B_h q''_h + D_h) - Qj_hh) = 0 for h≠5, x∈moving(h)
(3.57) q̈ of joint h + 1 @ unaided
    q''_j = -(B_j^T Mh_j B_j)^-1 (B_j^T (Mh_j A_j v'_pj + Mh_j D_j - Qh_j)) for j∈inner
(3.58) the principle down to body h @ unaided
    Σ_{j∈first(h)} U_jx^T ((M_j + Σ_{k∈cut(j,h)} Mr_k) v'_j - (Q_j + Σ_{k∈cut(j,h)} Qr_k)) = 0 for h≠5, h≠4, x∈moving(h)
(3.59) effective mass of body h + 1 [absent] @ unaided
    A_j^T (Mh_j v'_j - Qh_j) = (A_j^T Mh_j A_j - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 B_j^T Mh_j A_j) v'_pj - Qr_j for j∈inner
    A_j^T Mh_j (A_j - B_j G) = Mr_j for j∈inner where G := (B_j^T Mh_j B_j)^-1 B_j^T Mh_j A_j
    Mr_j = Mr_j^T for j∈inner
(3.60) effective load of body h + 1 @ unaided
    A_j^T (Mh_j v'_j - Qh_j) = Mr_j v'_pj - L_j for j∈inner where L_j := A_j^T (Qh_j - Mh_j D_j)
        - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 (B_j^T Qh_j - B_j^T Mh_j D_j)
    ! A_j^T (Mh_j v'_j - Qh_j) = Mr_j v'_pj - L_j for j∈inner where L_j := A_j^T (Mh_j D_j - Qh_j)
        - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 (B_j^T Mh_j D_j - B_j^T Qh_j)
        | the printed bracket is −Q_r: (3.58) has − (Q + Q_r); our copy has only the last bracket
(3.61) the base body alone @ flying
    U_1x^T ((M_1 + Σ_{k∈out(1)} Mr_k) v'_1 - (Q_1 + Σ_{k∈out(1)} Qr_k)) = 0
(3.57, joints) q̈ and what is left to the inner body, where forces act along coordinates too [own] @ true
    f_x = Σ_{j∈first(h)} U_jx^T (Mj_jh v'_j - Qj_jh) for x∈moving(h)
    q''_j = -(B_j^T Mh_j B_j)^-1 (B_j^T (Mh_j A_j v'_pj + Mh_j D_j - Qh_j) - τ_j)
    A_j^T (Mh_j v'_j - Qh_j) = Mr_j v'_pj - L_j where L_j := A_j^T (Qh_j - Mh_j D_j)
        - A_j^T Mh_j B_j (B_j^T Mh_j B_j)^-1 (τ_j + B_j^T (Qh_j - Mh_j D_j))
(3.53, Riccati) the effective mass is S of the Riccati paper, along chains and trees [own along_paths] @ pairs
    S = Π Xᵀ M_r X, e = Π Xᵀ (M_r g − Q_r)
(3.53, any hinge) the effective mass is S of the Riccati paper, from a link to its parent [own step_by_step] @ steps
    IA = M_r, pA = M_r g − Q_r, expressed at the hinge

(3.26, program) what the program computes outwards [own] @ programs, others
    Vp_j = A_j Vp_pj + Bp_j q'_j = v_j
    Bp_j = B_j
    Dp_j = A'_j Vp_pj + B'_j q'_j
(3.53, program) what the program computes inwards, weights being those of a rising ground [own] @ programs, others
    Mp_j = M_j + Σ_k Rp_k
    Qp_j = Q_j + Σ_k Sp_k
    Rp_j = A_j^T Mp_j A_j - A_j^T Mp_j Bp_j (Bp_j^T Mp_j Bp_j)^-1 Bp_j^T Mp_j A_j
    Sp_j = A_j^T (Qp_j - Mp_j Dp_j) - A_j^T Mp_j Bp_j (Bp_j^T Mp_j Bp_j)^-1 Bp_j^T (Qp_j - Mp_j Dp_j)
(3.57, program) the accelerations that the program finds [own] @ programs, others
    gp_j = -(Bp_j^T Mp_j Bp_j)^-1 Bp_j^T (Mp_j A_j ap_pj + Mp_j Dp_j - Qp_j)
    ap_j = A_j ap_pj + Bp_j gp_j + Dp_j

# Driven joints
(4.1) the principle with a driven joint @ driven
    Σ_{j∈before(h)} U_jx^T (Dj_jh v'_j - Ej_jh)
        + U_phx^T A_h^T (Dj_hh (A_h v'_ph + B_h q''_h + D_h) - Ej_hh) = 0 for h∈driven, x∈free(h)
(4.2) the same without the outermost body @ driven
    Σ_{j∈first(h)} U_jx^T (Dj_jh v'_j - Ej_jh) = 0 for h≠5, x∈free(h)
(4.2, joints) where some coordinates of joints are driven, and forces act along others; what drives them give [own] @ driven, partly
    need_x = (B_j dq_jx)^T (Md_j v'_j - Qd_j) for x∈own(j)
    f_x = Σ_{j∈before(h)} U_jx^T (Dj_jh v'_j - Ej_jh)
        + (U_phx^T A_h^T + (B_h dq_hx)^T) (Dj_hh (A_h v'_ph + B_h q''_h + D_h) - Ej_hh) for x∈free(h)
    f_x = Σ_{j∈first(h)} U_jx^T (Dj_jh v'_j - Ej_jh) for h≠5, x∈free(h)
(4.3) effective mass of a driven joint [see 4.4]
(4.4) effective load of a driven joint @ driven
    A_j^T (Md_j v'_j - Qd_j) = A_j^T Md_j A_j v'_pj - A_j^T (Qd_j - Md_j (B_j q''_j + D_j)) for j∈driven
    ! A_j^T (Md_j v'_j - Qd_j) = A_j^T Md_j A_j v'_pj - A_j^T (Md_j (B_j q''_j + D_j) - Qd_j) for j∈driven
        | the printed bracket is −Q_r

# Closed loops
(4.5) the principle with multipliers of a cut joint @ loop
    Σ_j U_jx^T (M_j v'_j - Q_j) + (U_3x^T hu_3^T + U_5x^T hu_5^T) λ = 0
    q''_j = -(B_j^T Mh_j B_j)^-1 (B_j^T (Mh_j A_j v'_pj + Mh_j D_j - L_j)) where
        L_j := Q_j - {j=3} hu_3^T λ - {j=5} hu_5^T λ
        + Σ_k (A_k^T (L_k - Mh_k D_k) - A_k^T Mh_k B_k (B_k^T Mh_k B_k)^-1 B_k^T (L_k - Mh_k D_k))
(4.6) ∂f/∂x by a vector: the slope along every direction
    ∂_x(H) = hu_3 U_3x + hu_5 U_5x
(4.7) x by its components in a frame [defines]
(4.8) ∂f/∂x by the slopes along the frame's axes
    Σ_d hx_3d R_3[1:3,d]^T = hu_3[1:3,1:3]
    Σ_d hx_5d R_5[1:3,d]^T = hu_5[1:3,1:3]
(4.9) h(u^j, u^j+1, t) = 0 of a cut joint [defines]
(4.10) ḣ
    H' = hu_3 v_3 + hu_5 v_5 + σ' gap
(4.11) ḧ
    H'' = hu_3 v'_3 + hu_5 v'_5 + Huu + 2 σ' / σ (hu_3 v_3 + hu_5 v_5) + σ'' gap
    ! H'' = hu_3 v'_3 + hu_5 v'_5 + Huu + σ' / σ (hu_3 v_3 + hu_5 v_5) + σ'' gap
        | ∂²h/∂t∂u · v enters twice, from the rate of h_u v and from that of h_t
(4.12) h_u v̇ = rhs @ loop
    hu_3 v'_3 + hu_5 v'_5 = -Huu - 2 σ' / σ (hu_3 v_3 + hu_5 v_5) - σ'' gap
    H'' = 0

# Flexible bodies
(4.13) the principle with flexible bodies, as (2.2) [defines]
(4.13, beam) the balance of a beam has this form, M v̇ − Q [own] @ beam
    Mw ae + pw = Me ae + pe
(4.14) δu = (δr, δπ, δα) of a flexible body [defines]
(4.15) M depends on the modal coordinates α [defines]
(4.16) v̇ = (r̈, ω̇, α̈) [defines]
(4.17) Q depends on α and α̇ [defines]

# Appendix A: Kane's equations
(A.1) generalised speeds u = V q̇ + W [defines] @ kane
    u = V qf' + Wk
(A.2) velocity by partial velocities @ kane
    r'_j = Σ_i Vx_ij[1:3] u_i + V0_j[1:3]
    ! r'_j = Σ_i Vx_ij[1:3] u_i | the rest Y of (A.6) is missing, which W and what is prescribed in time leave
(A.3) angular velocity by partial angular velocities @ kane
    ω_j = Σ_i Vx_ij[4:6] u_i + V0_j[4:6]
    ! ω_j = Σ_i Vx_ij[4:6] u_i | the rest Y of (A.6) is missing, which W and what is prescribed in time leave
(A.4) principle of virtual power @ speeding
    0 = Σ_j F_j^T U_jx - Σ_j tr(x''_j μ_j Sx_jx^T) for x∈varied
(A.5) velocity by the coordinates' rates @ kane
    x'_j = Σ_{x∈varied} Sx_jx qd'_x + Σ_{x∈given} Sx_jx qd'_x
(A.6) v = Xᵀ u + Y @ kane
    x'_j = Σ_i X_ij u_i + Y_j
(A.7) Xᵀ = (∂r/∂q)ᵀ V⁻¹ [defines]
(A.8) Y = ∂r/∂t − (∂r/∂q)ᵀ V⁻¹ W [defines]
(A.9) accelerations by generalised speeds @ kane
    x''_j = Σ_i X_ij u'_i + Σ_i X'_ij u_i + Y'_j
(A.10) δv = Xᵀ δu @ kane
    xd_j = Σ_i X_ij δ_i
(A.11) Z = Ẋᵀ u + Ẏ [defines]
(A.12) X's columns are the partial velocities @ kane
    xu_ij = X_ij
(A.13) virtual power by generalised speeds @ speeding
    Σ_ij F_j^T Vx_ij δ_i - Σ_ij tr(x''_j μ_j X_ij^T) δ_i = 0
(A.13, Lagrange) Kane's equations are V⁻ᵀ times Lagrange's [own] @ kane
    V^-1^T left = K + Ks
(A.14) Kane's equations [see 2.9]
(A.15) K, generalised active forces as integrals [defines]
(A.16) K*, generalised inertia forces as integrals [defines]
(A.17) K of mass points [defines]
(A.18) K* of mass points [defines]

# Appendix B: frames of flexible bodies
(B.1) R^i as tensor and as matrix [defines]
(B.2) B^ik as tensor and as matrix [defines]
(B.3) C^k as tensor and as matrix [defines]
(B.4) B^jk as tensor and as matrix [defines]
(B.5) R^j as tensor and as matrix [defines]
(B.6) ω^i, the axial vector of Ṙ^i (R^i)ᵀ [defines]
(B.7) ω^j, the same of body j [defines]
(B.8) ė^i = ω^i × e^i @ frames
    Ra' = wa × Ra
    Rb' = wb × Rb
(B.9) ė^ik by the rates of R and B @ frames
    Fa' = (Ra' Ra^T + (Ta' Ta^T + Ta Ra' Ra^T Ta^T - Ra' Ra^T)) Fa
(B.10) the spin of e^ik in body i @ frames
    Ta' Ta^T + Ta Ra' Ra^T Ta^T - Ra' Ra^T = Ra Ba' Ba^T Ra^T
(B.11) Ḃ^ik in body axes @ frames
    Ta' = Ra (Ra^T Ra' Ba + Ba' + Ba Ra'^T Ra) Ra^T
(B.12) (B^ik)ᵀ in body axes @ frames
    Ta^T = Ra Ba^T Ra^T
(B.13) Ṙ^i in body axes @ frames
    Ra' = Ra (Ra^T Ra' Ra + Ra' + Ra Ra'^T Ra) Ra^T
(B.14) proof of (B.10) @ frames
    Ba' Ba^T = P Ba^T + Ba N Ra^T Ba^T - N Ra^T
        where P := Ra^T Ra' Ba + Ba' + Ba Ra'^T Ra, N := Ra^T Ra' Ra + Ra' + Ra Ra'^T Ra
(B.15) ω^ik, of e^ik in body i [defines]
(B.16) ė^ik = (ω^i + ω^ik) × e^ik @ frames
    Fa' = (wa + wik) × Fa
(B.17) ω^k, of e^jk in e^ik [defines]
(B.18) ω^jk, of e^jk in body j [defines]
(B.19) ω^ij = ω^j − ω^i [defines]
(B.20) e^jk by C^k, as (B.3) [defines]
(B.21) e^jk by B^jk, as (B.4) [defines]
(B.22) ė^jk along body i @ frames
    Fb' = Fa' Ca + Fa Ca' = (wa + wik) × Fb + wk × Fb
(B.23) ė^jk along body j @ frames
    Fb' = Rb' Bb + Rb Bb'
    (Rb Bb)' = wb × Fb + wjk × Fb
(B.24) ω^ij = ω^ik + ω^k − ω^jk @ frames
    wb - wa = wik + wk - wjk
(B.25) rigid body i: Ḃ^ik = 0 [defines]
(B.26) rigid body j: Ḃ^jk = 0 [defines]
(B.27) ω^ik = 0 @ rigid
    wik = axial(Fa' Fa^T) - wa = 0
(B.28) ω^jk = 0 @ rigid
    wjk = axial(Fb' Fb^T) - wb = 0
(B.29) ω^ij = ω^k @ rigid
    wb - wa = wk

# Appendix C: two bodies joined by a universal joint
(C.1) R¹ turns the ground's axes to those of body 1 [defines]
(C.2) R¹ as a sum of dyads, and by its matrix @ appendix
    Σ_d R_1[1:3,d] eye(3)[1:3,d]^T = Re
(C.3) R¹ by Bryant angles @ appendix
    R_1 = [ca_2 ca_3, -ca_2 sa_3, sa_2; ca_1 sa_3 + sa_1 sa_2 ca_3, ca_1 ca_3 - sa_1 sa_2 sa_3, -sa_1 ca_2;
        sa_1 sa_3 - ca_1 sa_2 ca_3, sa_1 ca_3 + ca_1 sa_2 sa_3, ca_1 ca_2]
(C.4) C¹ turns e^11 to e^21 [defines]
(C.5) C¹ as a sum of dyads, and by its matrix @ appendix
    Σ_d R_2[1:3,d] R_1[1:3,d]^T = R_1 Ce R_1^T
(C.6) C¹ by the joint's angles @ appendix
    C_2 = [cb_2, 0, sb_2; sb_1 sb_2, cb_1, -sb_1 cb_2; -cb_1 sb_2, sb_1, cb_1 cb_2]
(C.7) ω¹, the axial vector of Ṙ¹ (R¹)ᵀ [defines] @ appendix
    R'_1 R_1^T r_1 = ω_1 × r_1
(C.8) ω¹², the axial vector of Ċ¹ (C¹)ᵀ [defines]
(C.9) Ṙ¹ · (R¹)ᵀ by its matrix [see C.7, C.10]
(C.10) Ṙ¹ (R¹)ᵀ, entry by entry @ appendix
    R'_1 R_1^T = [0, -α'_2 sa_1 - α'_3 ca_1 ca_2, α'_2 ca_1 - α'_3 sa_1 ca_2;
        α'_2 sa_1 + α'_3 ca_1 ca_2, 0, -α'_1 - α'_3 sa_2;
        -α'_2 ca_1 + α'_3 sa_1 ca_2, α'_1 + α'_3 sa_2, 0]
(C.11) Ċ¹ (C¹)ᵀ, entry by entry @ appendix
    C'_2 C_2^T = [0, -qs'_2 sb_1, qs'_2 cb_1; qs'_2 sb_1, 0, -qs'_1; -qs'_2 cb_1, qs'_1, 0]
(C.12) the axial vector of a skew matrix [defines]
(C.13) ω¹, entry by entry @ appendix
    ω_1 = [α'_1 + α'_3 sa_2; α'_2 ca_1 - α'_3 sa_1 ca_2; α'_2 sa_1 + α'_3 ca_1 ca_2]
(C.14) ω¹², entry by entry, = w q̇ @ appendix
    ω_2 - ω_1 = Re [qs'_1; qs'_2 cb_1; qs'_2 sb_1] = Re [1, 0; 0, cb_1; 0, sb_1] q'_2
(C.15) w, the joint's axes @ appendix
    U_2x[4:6] = Re [1, 0; 0, cb_1; 0, sb_1] dq_2x for x∈own(2)
(C.16) ω² = ω¹ + w q̇ @ appendix
    ω_2 = we + We q'_2
(C.17) r² = r¹ + r¹² @ appendix
    r_2 = r_1 + b11 - b21
(C.18) r¹² @ appendix
    r_2 - r_1 = b11 - b21
    ! r_2 - r_1 = b11 + Re c_2 - b12 | b²¹, the arm of body 2 to joint 1, as in (3.17)
(C.19) c¹ = 0 @ appendix
    c_2 = 0
(C.20) ṙ² @ appendix
    r'_2 = r'_1 + ω_1 × (b11 - b21) - We q'_2 × b21 = r'_1 - ze × ω_1 - (We × be) q'_2
(C.21) v² = A v¹ + B q̇ @ appendix
    v_2 = A_2 v_1 + B_2 q'_2
(C.22) v = (ṙ, ω) [defines]
(C.23) A @ appendix
    A_2 = [1, -~ze; 0, 1]
(C.24) B = [−w × b²¹; w] @ appendix
    U_2x = [-(We × b21); We] dq_2x for x∈own(2)
(C.25) q̇ = (q̇₁, q̇₂) [defines]
(C.26) b¹¹ = R¹ e₃ @ appendix
    R_1 e3 = Re e3
(C.27) b²¹ = −R¹ C¹ e₃ @ appendix
    -R_2 e3 = -Re Ce e3
(C.28) (b¹¹ − b²¹) × ω¹ = Z ω¹ @ appendix
    (b11 - b21) × ω_1 = ~ze ω_1
(C.29) z₁ @ appendix
    (r_2 - r_1)[1] = sa_2 + ca_2 ca_3 sb_2 + ca_2 sa_3 sb_1 cb_2 + sa_2 cb_1 cb_2
(C.30) z₂ @ appendix
    (r_2 - r_1)[2] = -sa_1 ca_2 + (ca_1 sa_3 + sa_1 sa_2 ca_3) sb_2 - (ca_1 ca_3 - sa_1 sa_2 sa_3) sb_1 cb_2
        - sa_1 ca_2 cb_1 cb_2
(C.31) z₃ @ appendix
    (r_2 - r_1)[3] = ca_1 ca_2 + (sa_1 sa_3 - ca_1 sa_2 ca_3) sb_2 - (sa_1 ca_3 + ca_1 sa_2 sa_3) sb_1 cb_2
        + ca_1 ca_2 cb_1 cb_2
(C.32) B = [b²¹ × w; w] @ appendix
    U_2x = [b21 × We; We] dq_2x for x∈own(2)
(C.33) w by its matrix W @ appendix
    w_2 = We
(C.34) W, entry by entry @ appendix
    U_2x[4:6] = [ca_2 ca_3, -ca_2 sa_3 cb_1 + sa_2 sb_1;
        ca_1 sa_3 + sa_1 sa_2 ca_3, (ca_1 ca_3 - sa_1 sa_2 sa_3) cb_1 - sa_1 ca_2 sb_1;
        sa_1 sa_3 - ca_1 sa_2 ca_3, (sa_1 ca_3 + ca_1 sa_2 sa_3) cb_1 + ca_1 ca_2 sb_1] dq_2x for x∈own(2)
(C.35) b²¹ × w by matrices @ appendix
    U_2x[1:3] = ~be We dq_2x for x∈own(2)
(C.36) b²¹, first entry @ appendix
    b21[1] = -ca_2 ca_3 sb_2 - ca_2 sa_3 sb_1 cb_2 - sa_2 cb_1 cb_2
(C.37) b²¹, second entry @ appendix
    b21[2] = -(ca_1 sa_3 + sa_1 sa_2 ca_3) sb_2 + (ca_1 ca_3 - sa_1 sa_2 sa_3) sb_1 cb_2 + sa_1 ca_2 cb_1 cb_2
(C.38) b²¹, third entry @ appendix
    b21[3] = -(sa_1 sa_3 - ca_1 sa_2 ca_3) sb_2 + (sa_1 ca_3 + ca_1 sa_2 sa_3) sb_1 cb_2 - ca_1 ca_2 cb_1 cb_2
(C.39) δu² = A δu¹ + B δq @ appendix
    U_2x = A_2 U_1x + B_2 dq_2x
(C.40) δu = (δr, δπ) [defines]
(C.41) δq = (δq₁, δq₂) [defines]
(C.42) v̇² = A v̇¹ + B q̈ + D @ appendix
    v'_2 = A_2 v'_1 + B_2 q''_2 + A'_2 v_1 + Bt q'_2
(C.43) D = Ȧ v¹ + Ḃ q̇ @ appendix
    v'_2 - A_2 v'_1 - B_2 q''_2 = A'_2 v_1 + Bt q'_2
(C.44) Ȧ @ appendix
    A'_2 = [0, -~(r'_2 - r'_1); 0, 0]
(C.45) Ż, by the rates of z @ appendix
    -A'_2[1:3,4:6] = ~(b11 - b21)'
(C.46) Ḃ @ appendix
    B'_2 = [~b21' We + ~be Wt; Wt]
    ! B'_2 = [~b21' We + ~b21' We; We] | the second term is b21 × Ẇ, the lower block Ẇ
