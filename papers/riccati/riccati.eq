paper riccati: the Riccati transfer matrix method for chains and branches
at any-1, any-2
index b : body
index e : end
index k, l : number

-- Ends are I, or I1 and I2, and O. (m, q) act on an element at its input, their opposite at its output.
letter z_be as z : state of an end in the true motion, in inertial axes

-- A body in space, its points as seen from its first input.
letter r_be as r̈, Om_be as Ω̇, mm_be as m, q_be as q : 3×1, parts of a state
letter m_b : 1×1, mass
letter rO_b as r_IO, rC_b as r_IC, rI_b as r_I1I2, Ω_b, f_b as f_C, mC_b as m_C : 3×1, output, centre, second input; angular velocity; external force and moment
letter JC_b as J_C : 3×3, inertia about C
letter E_kb as E : blocks of (4) as derived
letter EI_b as E_I2, F_kb as E : blocks of (8) and (17) as derived
letter U_b : 13×13, matrix of a body with one input as derived
letter Um_b as U : 13×19, matrix of a body with two inputs as derived
letter H_b : 6×19, matrix of the geometric equation as derived
letter zO_b as z_O, zm_b as z_I1−I2, ddr_b as r̈_I2, gap_b as g : what is derived for (3) and (7), (6), (14) and (15)
define J_b as J_I := JC_b - m_b (~rC_b)^2 | about the input

-- States entry by entry
letter z : 13×1, state of an end as derived
letter zvec as Z : 3×4, its four vectors as derived
letter zplane as z : 7×1, state of an end in the plane as derived
letter ddx as ẍ, ddy as ÿ, ddz as z̈, dOx as Ω̇_x, dOy as Ω̇_y, dOz as Ω̇_z : 1×1, entries of a state
letter mx as m_x, my as m_y, mz as m_z, qx as q_x, qy as q_y, qz as q_z : 1×1, entries of a state

-- Elements whose matrices are any, by the blocks for r̈, Ω̇, m, q and 1 of a state in the plane
letter u_kl as u : block of an element's matrix (4)
letter v_k as u_3 : block of the third block row of a matrix (8)
letter Uh as U : 7×7, matrix of a hinge as derived
letter Uhat_k as Û : 10×7, matrices of a multi-hinge as derived
letter zhat as z_O : 10×1, what is derived for (11)
letter zin_k as z_I : 7×1, states of the inputs of a multi-hinge
letter zc_k as z, Uc_k as U : states and matrices of a chain
letter T_11, T_12, T_21, T_22, S_i : 3×3, blocks of an element's matrix, S at its input
letter fA as f_a, fB as f_b, e_i : 3×1, blocks of an element's matrix, e at its input
letter zbN as z_{b,I}, zbR as z_{b,O}, zaR as z_{a,O} : 3×1, accelerations of the next element's input; accelerations and loads of the last one's output
letter Sx as S_{i+1}, ex as e_{i+1} : S and e behind the element as derived
letter S_n, e_n : S and e of the last element
letter zaI as z_{a,I}, zbI as z_{b,I}, zaO as z_{a,O}, zbO as z_{b,O} : 3×1, loads and accelerations of an element's ends
letter Y_k as Y : what is derived for the equation of that number
letter Td as T, fd as f, Pd as P, qd as q : what is derived for (20), (24)
define P := (T_21 S_i + T_22)^-1 | (24)
define q := -(T_21 e_i + fB) | (24)

-- The example in the plane, of rods 1, 3, 5 and 7
letter m, a, g : 1×1, mass, half length, gravity
letter cc as c_c : 1×1, a symbol of (47) that the paper does not define
letter c_b, s_b, w_b as θ̇ : 1×1, cosine and sine of θ, its rate
letter za_be as z_a, zb_be as z_b : 3×1, loads (m, q) and accelerations (r̈, Ω̇) of an end
letter U1, U3, U5, U7, U1r as U_1 : matrices of rods as derived; rod 1 in the order (m, q, r̈, Ω̇, 1)
letter U4 as U_4 : 7×7, hinge 4 as derived from (10)
letter T11, T12, T21, T22, fa as f_a, fb as f_b : blocks of rod 1 as derived
letter R11 as T11, R12 as T12, R21 as T21, R22 as T22, ra as f_a, rb as f_b : blocks of hinge 4 as derived
letter S1, e1, S2, e2 : S and e of rod 1 as derived, at its tip and behind it
letter S3p as S3, e3p as e3, S4p as S4, e4p as e4 : S and e behind hinge 4 and rod 5 as derived, with the printed hinge
letter S3c as S3, e3c as e3, S4c as S4, e4c as e4 : the same with the completed hinge
letter Utip1 as U_tip1, Utip2p as U_tip2, Utip2c as U_tip2 : 7×4, state at the end of a chain from (r̈, Ω̇, 1) as derived
letter Uhat8_1 as Û8, Uhat8_2 as Û8, main_1, main_2, geo_1, geo_2 : what is derived for (52), (53), (54)
letter Hrm as H_rm, HO as H_O1I2 : what is derived for (55)
letter Uallp as U_all, Uallc as U_all, zall as z_all : what is derived for (57), (58)
letter Ubarp as Ū, Ubarc as Ū, bp as b, bc as b, zbar as z̄, rankp as r, rankc as r : what is derived for (59), (60)
define x_b as x := [zb_bO; 1] | (r̈, Ω̇, 1) of an output
letter Sr_be as S, er_be as e, Ur_b as U : S and e of an end, and a rod's matrix, as the method's program computes them, run in fractions
define zj as z_7,I1−I2 := [z_{7,I1}[1:6]; z_{7,I2}[4:6]; 1] | (6)
define den as N := 3 c_3 c_5 + 3 s_3 s_5 + 2 | (46)
define X := (g (c_3 + c_5) + 2 a w_3^2 (s_3 c_5 - c_3 s_5) + 2 g c_5) / den | (47)

# State vectors and transfer equations
(1, z) state of an end [defines]
    z = [ddx; ddy; ddz; dOx; dOy; dOz; mx; my; mz; qx; qy; qz; 1]
(2, z_parts) the four vectors of a state [defines]
    zvec = [ddx, dOx, mx, qx; ddy, dOy, my, qy; ddz, dOz, mz, qz]
(3, z_O) output state of a body @ space-1, space-2
    z_bO = zO_b = U_b z_bI for b ∈ one
(4, U) rigid body, one input @ space-1, space-2
    U_b = [1, E_1b, 0, 0, E_2b; 0, 1, 0, 0, zeros(3, 1); E_6b E_3b + E_7b, E_6b E_4b + E_8b, 1, E_6b, E_6b E_5b + E_9b;
        E_3b, E_4b, 0, 1, E_5b; zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), 1] for b ∈ one
    z_bO = U_b z_bI for b ∈ one
(5, E1) lever of the angular acceleration in r̈_O @ space-1, space-2
    E_1b = -~rO_b
    r_bO = r_bI + E_1b Om_bI + E_2b for b ∈ one
(5, E2) centripetal acceleration of O @ space-1, space-2
    E_2b = (~Ω_b)^2 rO_b
(5, E3) inertia force of r̈_I @ space-1, space-2
    E_3b = -m_b eye(3)
    q_bO = q_bI + E_3b r_bI + E_4b Om_bI + E_5b for b ∈ one
(5, E4) inertia force of Ω̇ @ space-1, space-2
    E_4b = m_b ~rC_b
(5, E5) external and centripetal force @ space-1, space-2
    E_5b = f_b - m_b (~Ω_b)^2 rC_b
(5, E6) lever of q_O about I @ space-1, space-2
    E_6b = ~rO_b
    mm_bO = mm_bI + E_6b q_bO + E_7b r_bI + E_8b Om_bI + E_9b for b ∈ one
(5, E7) inertia moment of r̈_I about I @ space-1, space-2
    E_7b = m_b ~rC_b
(5, E8) inertia about I, in inertial axes @ space-1, space-2
    E_8b = J_b
(5, E9) external and gyroscopic moment @ space-1, space-2
    E_9b = -mC_b - rC_b × f_b + Ω_b × J_b Ω_b
(6, z_miso) comprehensive input state of two inputs [absent] @ space-1, space-2
    zm_b = [r_{b,I1}; Om_{b,I1}; mm_{b,I1}; q_{b,I1}; mm_{b,I2}; q_{b,I2}; 1] for b ∈ two
(7, z_O_miso) output state of a body with two inputs @ space-1, space-2
    z_bO = zO_b = Um_b zm_b for b ∈ two
(8, U_miso) rigid body, two inputs [absent] @ space-1, space-2
    Um_b = [1, E_1b, 0, 0, zeros(3, 3), 0, E_2b; 0, 1, 0, 0, 0, 0, zeros(3, 1);
        E_6b E_3b + E_7b, E_6b E_4b + E_8b, 1, E_6b, 1, E_6b + EI_b, E_6b E_5b + E_9b; E_3b, E_4b, 0, 1, 0, 1, E_5b;
        zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), 1] for b ∈ two
    z_bO = Um_b zm_b for b ∈ two
(9, E_I2) lever of a further input @ space-1, space-2
    EI_b = -~rI_b for b ∈ two
    mm_bO = mm_{b,I1} + mm_{b,I2} + E_6b q_bO + E_7b r_{b,I1} + E_8b Om_{b,I1} + E_9b + EI_b q_{b,I2} for b ∈ two
(10, U_hinge, printed) smooth hinge from its outboard body, block by block
    Uh = [1, 0, 0, 0, 0; -u_32^-1 u_31, 0, -u_32^-1 u_33, -u_32^-1 u_34, -u_32^-1 u_35; 0, 0, 1, 0, 0; 0, 0, 0, 1, 0; 0, 0, 0, 0, 1]
    [u_31, u_32, u_33, u_34, u_35;] Uh = 0
(11, Uhat_sum, printed) output of the multi-hinge, L = 2, block by block
    zhat = Uhat_1 zin_1 + Uhat_2 zin_2
    [v_1, v_2, v_3, v_4, v_5, v_6, v_7;] zhat = 0
    zhat[1:2] = zin_1[1:2]
    zhat[4:10] = [zin_1[4:6]; zin_2[4:6]; 1]
(12, Uhat_I1, printed) multi-hinge, input 1, L = 2, block by block
    Uhat_1 = [1, 0, 0, 0, 0; -v_2^-1 v_1, 0, -v_2^-1 v_3, -v_2^-1 v_4, -v_2^-1 v_7; 0, 0, 1, 0, 0; 0, 0, 0, 1, 0; 0, 0, 0, 0, 0;
        zeros(2, 2), zeros(2, 1), zeros(2, 1), zeros(2, 2), zeros(2, 1); 0, 0, 0, 0, 1]
(13, Uhat_Ik, printed) multi-hinge, input k ≥ 2, L = 2, block by block
    Uhat_2 = [zeros(2, 2), 0, 0, 0, 0; 0, 0, -v_2^-1 v_5, -v_2^-1 v_6, 0; 0, 0, 0, 0, 0; zeros(2, 2), zeros(2, 1), zeros(2, 1), zeros(2, 2), zeros(2, 1);
        0, 0, 1, 0, 0; zeros(2, 2), zeros(2, 1), zeros(2, 1), 1, zeros(2, 1); 0, 0, 0, 0, 0]
(14, ddr_Ik) acceleration of input k @ space-1, space-2
    r_{b,I2} = ddr_b = r_{b,I1} - ~rI_b Om_{b,I1} + (~Ω_b)^2 rI_b for b ∈ two
(15, geometric, printed) geometric equation, left side minus right side, L = 2 @ space-1, space-2
    gap_b = [r_{b,I2} - r_{b,I1} + ~rI_b Om_{b,I1} - (~Ω_b)^2 rI_b; mm_{b,I2}] = [zeros(3, 1); mm_{b,I2}] for b ∈ two
(16, H, completed) matrix of the geometric equation, L = 2 [absent] @ space-1, space-2
    H_b = [1, -~rI_b, zeros(3, 12), (~Ω_b)^2 rI_b; zeros(3, 3), zeros(3, 3), zeros(3, 12), zeros(3, 1)] for b ∈ two
    H_b zm_b = [r_{b,I2}; zeros(3, 1)] for b ∈ two
(17, E1_Ik) input k's acceleration from the first input's @ space-1, space-2
    F_1b = -~rI_b for b ∈ two
    r_{b,I2} = r_{b,I1} + F_1b Om_{b,I1} + F_2b for b ∈ two
(17, E2_Ik) input k's acceleration from the first input's @ space-1, space-2
    F_2b = (~Ω_b)^2 rI_b for b ∈ two

# Chains and the Riccati transformation
(18, chain) a chain of three elements, from tip to root
    zc_3 = Y_{18} = Uc_3 Uc_2 Uc_1 zc_1
(19, U_chain) overall matrix of a chain, n = 3
    Y_{19} = Uc_3 Uc_2 Uc_1
    zc_3 = Y_{19} zc_1
(20, T) rearranged matrix, z_a = (m, q), z_b = (r̈, Ω̇), by the blocks of (4)
    Td = [u_33, u_34, u_31, u_32; u_43, u_44, u_41, u_42; u_13, u_14, u_11, u_12; u_23, u_24, u_21, u_22] = [T_11, T_12; T_21, T_22]
    [zaO; zbO] = Td [zaI; zbI] + fd
(20, f) rearranged last column
    fd = [u_35; u_45; u_15; u_25] = [fA; fB]
(21, z_aI) Riccati transformation: z_a from z_b at an input
    zaI = Y_{21} = S_i zbI + e_i
(22, z_bO) z_b at the output from z_b at the input
    zbO = T_21 zaI + T_22 zbI + fB = Y_{22} = (T_21 S_i + T_22) zbI + T_21 e_i + fB
(23, z_bI_solved) solved for z_b at the input
    zbI = Y_{23} = (T_21 S_i + T_22)^-1 (zbO - (T_21 e_i + fB))
(24, P_i) slope of the backward step
    Pd = (T_21 S_i + T_22)^-1
    zbI = Pd zbO + Pd qd
(24, q_i) offset of the backward step
    qd = -(T_21 e_i + fB)
(25, z_bI) backward step
    zbI = Y_{25} = P zbO + P q
(26, z_aO_inserted) z_a at the output, inserted
    zaO = Y_{26} = T_11 (S_i (P zbO + P q) + e_i) + T_12 (P zbO + P q) + fA
(27, z_aO) z_a at the output, rearranged
    zaO = Y_{27} = (T_11 S_i + T_12) P zbO + T_11 e_i + fA + (T_11 S_i + T_12) P q
(28, z_aI_next) z_a at the next element's input
    zaO = Y_{28} = (T_11 S_i + T_12) P zbN + T_11 e_i + fA + (T_11 S_i + T_12) P q
(29, S_next) S behind the element
    Sx = (T_11 S_i + T_12) P
    zaO = Sx zbO + ex
(29, program) S behind a rod, by the arrays of the program [own] @ smooth-1, smooth-2
    Sr_bO = (Ur_b[4:6,4:6] Sr_bI + Ur_b[4:6,1:3]) Ur_b[1:3,1:3]^-1 for b ∈ rod
    Ur_b[1:3,4:6] = 0 for b ∈ rod
    za_bO = Sr_bO zb_bO + er_bO for b ∈ rod
    za_5I = Sr_5I zb_5I + er_5I
(30, e_next) e behind the element
    ex = T_11 e_i + fA + Sx q
(30, program) e behind a rod, by the arrays of the program [own] @ smooth-1, smooth-2
    er_bO = Ur_b[4:6,4:6] er_bI + Ur_b[4:6,7:7] - Sr_bO Ur_b[1:3,7:7] for b ∈ rod
(31, z_aO_next) the transformation, passed on
    zaO = Sx zbO + ex = Y_{31} = (T_11 S_i + T_12) P zbO + T_11 e_i + fA - (T_11 S_i + T_12) P (T_21 e_i + fB)
(32, z_aO_root) the transformation at the root, whose S and e are the last ones
    zaR = Y_{32} = S_n zbR + e_n
(33, z_back) backward recursion: z_b, then z_a at the input
    [zbI; zaI] = Y_{33} = [P zbO + P q; S_i (P zbO + P q) + e_i]
(34, S1) S at a free tip in the plane @ smooth-1, smooth-2
    S1 = 0
    za_1I = 0
(34, e1) e at a free tip in the plane @ smooth-1, smooth-2
    e1 = 0

# The example
(35, z_planar) state in the plane [defines]
    zplane = [ddx; ddy; dOz; mz; qx; qy; 1]
(36, U1) rod 1, planar [absent] @ rough-1, rough-2
    U1 = [1, 0, -2 a s_1, 0, 0, 0, -2 a c_1 w_1^2; 0, 1, 2 a c_1, 0, 0, 0, -2 a s_1 w_1^2; 0, 0, 1, 0, 0, 0, 0;
        m a s_1, -m a c_1, -2 m a^2 / 3, 1, -2 a s_1, 2 a c_1, -m a g c_1;
        -m, 0, m a s_1, 0, 1, 0, m a c_1 w_1^2; 0, -m, -m a c_1, 0, 0, 1, m a s_1 w_1^2 - m g; 0, 0, 0, 0, 0, 0, 1]
    z_1O = U1 z_1I
(36, U3) rod 3, planar [absent] @ rough-1, rough-2
    U3 = [1, 0, -2 a s_3, 0, 0, 0, -2 a c_3 w_3^2; 0, 1, 2 a c_3, 0, 0, 0, -2 a s_3 w_3^2; 0, 0, 1, 0, 0, 0, 0;
        m a s_3, -m a c_3, -2 m a^2 / 3, 1, -2 a s_3, 2 a c_3, -m a g c_3;
        -m, 0, m a s_3, 0, 1, 0, m a c_3 w_3^2; 0, -m, -m a c_3, 0, 0, 1, m a s_3 w_3^2 - m g; 0, 0, 0, 0, 0, 0, 1]
    z_3O = U3 z_3I
(36, U5) rod 5, planar [absent] @ rough-1, rough-2
    U5 = [1, 0, -2 a s_5, 0, 0, 0, -2 a c_5 w_5^2; 0, 1, 2 a c_5, 0, 0, 0, -2 a s_5 w_5^2; 0, 0, 1, 0, 0, 0, 0;
        m a s_5, -m a c_5, -2 m a^2 / 3, 1, -2 a s_5, 2 a c_5, -m a g c_5;
        -m, 0, m a s_5, 0, 1, 0, m a c_5 w_5^2; 0, -m, -m a c_5, 0, 0, 1, m a s_5 w_5^2 - m g; 0, 0, 0, 0, 0, 0, 1]
    z_5O = U5 z_5I
(37, U1_rearranged) rod 1 in the order (m, q, r̈, Ω̇ | 1) [absent] @ rough-1, rough-2
    [za_1O; zb_1O] = U1r [za_1I; zb_1I; 1]
    U1r = [T11, T12, fa; T21, T22, fb]
(38, T11) T11 of rod 1 @ rough-1, rough-2
    T11 = [1, -2 a s_1, 2 a c_1; 0, 1, 0; 0, 0, 1]
    za_1O = T11 za_1I + T12 zb_1I + fa
(38, T12) T12 of rod 1 @ rough-1, rough-2
    T12 = [m a s_1, -m a c_1, -2 m a^2 / 3; -m, 0, m a s_1; 0, -m, -m a c_1]
(38, T21) T21 of rod 1 @ rough-1, rough-2
    T21 = 0
    zb_1O = T22 zb_1I + fb
(38, T22) T22 of rod 1 @ rough-1, rough-2
    T22 = [1, 0, -2 a s_1; 0, 1, 2 a c_1; 0, 0, 1]
(38, fa) fa of rod 1 @ rough-1, rough-2
    fa = [-m a g c_1; m a c_1 w_1^2; m a s_1 w_1^2 - m g]
(38, fb) fb of rod 1 @ rough-1, rough-2
    fb = [-2 a c_1 w_1^2; -2 a s_1 w_1^2; 0]
(39, S2) S behind rod 1 @ smooth-1, smooth-2
    S2 = [m a s_1, -m a c_1, 4 m a^2 / 3; -m, 0, -m a s_1; 0, -m, m a c_1] = T12 T22^-1
    za_1O = S2 zb_1O + e2
(40, e2) e behind rod 1 @ smooth-1, smooth-2
    e2 = [-m a g c_1; -m a c_1 w_1^2; -m a s_1 w_1^2 - m g] = fa - T12 T22^-1 fb
(41, zaO1) loads at the output of rod 1 from its accelerations @ smooth-1, smooth-2
    za_1O = Y_{41} = S2 zb_1O + e2
(42, z1O) state at the output of rod 1 @ smooth-1, smooth-2
    z_1O = Y_{42} = [zb_1O; S2 zb_1O + e2; 1]
(43, Utip1) state at the output of rod 1 from (r̈, Ω̇, 1) [absent] @ smooth-1, smooth-2
    Utip1 = [1, zeros(3, 1); S2, e2; zeros(1, 3), 1]
    z_1O = Utip1 [zb_1O; 1]
(44, U4, printed) hinge 4 from its outboard rod 5 [absent] @ stiff-1, stiff-2
    U4 = [1, 0, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0, 0; 3 s_5 / (2 a), -3 c_5 / (2 a), 0, 3 / (2 m a^2), -3 s_5 / (m a), 3 c_5 / (m a), -3 g c_5 / (2 a);
        0, 0, 0, 1, 0, 0, 0; 0, 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1, 0; 0, 0, 0, 0, 0, 0, 1]
    z_5I = U4 z_3O
    U5[4,1:7] U4 = 0
(45, T11_4) T11 of hinge 4 @ stiff-1, stiff-2
    R11 = 1
    za_5I = R11 za_3O
(45, T12_4) T12 of hinge 4 @ stiff-1, stiff-2
    R12 = 0
(45, T21_4) T21 of hinge 4 @ stiff-1, stiff-2
    R21 = [0, 0, 0; 0, 0, 0; 3 / (2 m a^2), -3 s_5 / (m a), 3 c_5 / (m a)]
    zb_5I = R21 za_3O + R22 zb_3O + rb
(45, T22_4) T22 of hinge 4 @ stiff-1, stiff-2
    R22 = [1, 0, 0; 0, 1, 0; 3 s_5 / (2 a), -3 c_5 / (2 a), 0]
(45, fa_4) fa of hinge 4 @ stiff-1, stiff-2
    ra = 0
(45, fb_4) fb of hinge 4 @ stiff-1, stiff-2
    rb = [0; 0; -3 g c_5 / (2 a)]
(46, S3, printed) S behind hinge 4, with the printed hinge @ smooth-1, smooth-2
    S3p = [3 m a (s_3^2 s_5 + s_3 c_3 c_5 - 2 s_5), -3 m a (c_3^2 c_5 + s_3 c_3 s_5 - 2 c_5), 4 m a^2 / 3;
        m (3 s_3^2 + 3 s_3 s_5 - 6 c_3 c_5 - 4) / 2, -3 m s_3 (c_3 + 3 c_5) / 2, -m a s_3;
        -3 m c_3 (s_3 + 3 s_5) / 2, m (3 c_3^2 + 3 c_3 c_5 - 6 s_3 s_5 - 4) / 2, m a c_3] / den
    za_5I = S3p zb_5I + e3p
    ! S3p = [3 m a (s_3^2 s_5 + s_3 c_3 c_5 - 2 s_5), -3 m a (c_3^2 c_5 + s_3 c_3 c_5 - 2 c_5), 4 m a^2;
        m (3 s_3^2 + 3 s_3 s_5 - 6 c_3 c_5 - 4) / 2, -3 m s_3 (c_3 + 3 c_5) / 2, -m a s_3;
        -3 m c_3 (s_3 + 3 s_5) / 2, m (3 c_3^2 + 3 c_3 c_5 - 6 s_3 s_5 - 4) / 2, m a c_3] / den
        | X2; X3; X10; in entry (1,2) s3 c3 c5 should read c3 s3 s5, and entry (1,3) is 4/3 m a² over the denominator, not 4 m a²
(46, S3, completed) S behind hinge 4, completed hinge [own] @ smooth-1, smooth-2
    za_5I = S3c zb_5I + e3c
(47, e3, printed) e behind hinge 4, with the printed hinge @ smooth-1, smooth-2
    e3p = [2 m a X - m a g c_3; -3 m s_3 X / 2 - m a w_3^2 c_3; 3 m c_3 X / 2 - m a w_3^2 s_3 - m g]
    ! e3p = [2 m a Y - m a g c_3; -3 m s_3 Y / 2 - m a w_3^2 c_3; 3 m c_3 Y / 2 - m a w_3^2 s_3 - m g]
        where Y := (g (c_3 + c_5) + 2 a w_3^2 (s_3 c_5 - cc s_5) + 2 g c_5) / den
        | X4; X10; the print has an undefined symbol c_c; it is c3 in every row
(47, e3, completed) e behind hinge 4, completed hinge [own] @ smooth-1, smooth-2
    za_5I = S3c zb_5I + e3c
(48, S4, printed) S behind rod 5, printed hinge [own] @ smooth-1, smooth-2
    S4p = (U5[4:6,4:6] S3p + U5[4:6,1:3]) U5[1:3,1:3]^-1
    za_5O = S4p zb_5O + e4p
(48, S4, completed) S behind rod 5, completed hinge [own] @ smooth-1, smooth-2
    S4c = (U5[4:6,4:6] S3c + U5[4:6,1:3]) U5[1:3,1:3]^-1
    za_5O = S4c zb_5O + e4c
(48, e4, printed) e behind rod 5, printed hinge [own] @ smooth-1, smooth-2
    e4p = U5[4:6,4:6] e3p + U5[4:6,7:7] - S4p U5[1:3,7:7]
(48, e4, completed) e behind rod 5, completed hinge [own] @ smooth-1, smooth-2
    e4c = U5[4:6,4:6] e3c + U5[4:6,7:7] - S4c U5[1:3,7:7]
(48, Utip2, printed) state at the output of rod 5 from (r̈, Ω̇, 1), printed hinge [own] @ smooth-1, smooth-2
    Utip2p = [1, zeros(3, 1); S4p, e4p; zeros(1, 3), 1]
    z_5O = Utip2p [zb_5O; 1]
(48, Utip2, completed) state at the output of rod 5 from (r̈, Ω̇, 1), completed hinge [own] @ smooth-1, smooth-2
    Utip2c = [1, zeros(3, 1); S4c, e4c; zeros(1, 3), 1]
    z_5O = Utip2c [zb_5O; 1]
(49, U7) rod 7 with two inputs, output at its centre [absent] @ rough-1, rough-2
    U7 = [1, 0, -a s_7, 0, 0, 0, 0, 0, 0, -a c_7 w_7^2; 0, 1, a c_7, 0, 0, 0, 0, 0, 0, -a s_7 w_7^2; 0, 0, 1, 0, 0, 0, 0, 0, 0, 0;
        0, 0, m a^2 / 3, 1, -a s_7, a c_7, 1, a s_7, -a c_7, 0;
        -m, 0, m a s_7, 0, 1, 0, 0, 1, 0, m a c_7 w_7^2; 0, -m, -m a c_7, 0, 0, 1, 0, 0, 1, m a s_7 w_7^2 - m g; 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    z_7O = U7 zj
(50, z7O) state at the output of body 7 @ smooth-1, smooth-2
    z_7O = Y_{50} = U7 [z_1O[1:2]; z_7O[3]; z_1O[4:6]; z_5O[4:6]; 1]
(51, z8O) state at the output of multi-hinge 8 @ smooth-1, smooth-2
    zj = Y_{51} = Uhat8_1 z_1O + Uhat8_2 z_5O
(52, Uhat8_I1) multi-hinge 8, input 1 @ branched-1, branched-2
    Uhat8_1 = [1, 0, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0, 0; 0, 0, 0, -3 / (m a^2), 3 s_7 / (m a), -3 c_7 / (m a), 0;
        0, 0, 0, 1, 0, 0, 0; 0, 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 1]
    zj = Uhat8_1 z_1O + Uhat8_2 z_5O
    ! Uhat8_1 = [1, 0, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0, 0; 0, 0, 0, -3 / (m a^2), 3 s_7 / (2 m a), -3 c_7 / (2 m a), 0;
        0, 0, 0, 1, 0, 0, 0; 0, 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 1]
        | X5; the denominators 2 m a, as the flattened text reads, should be m a: only then does the moment row of U7 Uhat8 vanish
(52, Uhat8_I2) multi-hinge 8, input 2 @ branched-1, branched-2
    Uhat8_2 = [0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, -3 / (m a^2), -3 s_7 / (m a), 3 c_7 / (m a), 0;
        0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 1, 0, 0, 0; 0, 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1, 0; 0, 0, 0, 0, 0, 0, 0]
    ! Uhat8_2 = [0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, -3 / (m a^2), -3 s_7 / (2 m a), 3 c_7 / (2 m a), 0;
        0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 0, 0, 0, 0; 0, 0, 0, 1, 0, 0, 0; 0, 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1, 0; 0, 0, 0, 0, 0, 0, 0]
        | X5; the denominators 2 m a, as the flattened text reads, should be m a: only then does the moment row of U7 Uhat8 vanish
(53, main1) what input 1 contributes to z_7,O; row 4 is zero @ branched-1, branched-2
    main_1 = U7 Uhat8_1
    main_1[4,1:7] = 0
    z_7O = main_1 z_1O + main_2 z_5O
(53, main2) what input 2 contributes to z_7,O; row 4 is zero @ branched-1, branched-2
    main_2 = U7 Uhat8_2
    main_2[4,1:7] = 0
(54, geo1) coefficient of input 1's state in the geometric equation @ branched-1, branched-2
    geo_1 = HO Uhat8_1
    [0; 0; -z_5O[4]] = geo_1 z_1O + geo_2 z_5O
(54, geo2) coefficient of input 2's state in the geometric equation @ branched-1, branched-2
    geo_2 = HO Uhat8_2 - Hrm
(55, H_rm) picks accelerations and moment of an end [absent] @ rough-1, rough-2
    Hrm = [1, 0, 0, 0, 0, 0, 0; 0, 1, 0, 0, 0, 0, 0; 0, 0, 0, 1, 0, 0, 0]
    Hrm z_5O = [z_5O[1:2]; z_5O[4]]
(55, H_O1_I2) input 2's acceleration from input 1's; no moment [absent] @ rough-1, rough-2
    HO = [1, 0, -2 a s_7, 0, 0, 0, 0, 0, 0, -2 a c_7 w_7^2; 0, 1, 2 a c_7, 0, 0, 0, 0, 0, 0, -2 a s_7 w_7^2; 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    HO zj = [z_5O[1:2]; 0]
(56, Uall_zall) overall equation, x_1,O and x_5,O being (r̈, Ω̇, 1) of the chains' ends @ rough-1, rough-2
    Y_{56} = [U7 (Uhat8_1 Utip1 x_1 + Uhat8_2 Utip2c x_5) - z_7O; HO (Uhat8_1 Utip1 x_1 + Uhat8_2 Utip2c x_5) - Hrm Utip2c x_5]
(57, Uall, printed) overall matrix, printed hinge @ smooth-1, smooth-2
    Uallp = [-eye(7), U7 Uhat8_1 Utip1, U7 Uhat8_2 Utip2p; zeros(3, 7), HO Uhat8_1 Utip1, (HO Uhat8_2 - Hrm) Utip2p]
    Uallp zall = 0
(57, Uall, completed) overall matrix, completed hinge [own] @ smooth-1, smooth-2
    Uallc = [-eye(7), U7 Uhat8_1 Utip1, U7 Uhat8_2 Utip2c; zeros(3, 7), HO Uhat8_1 Utip1, (HO Uhat8_2 - Hrm) Utip2c]
    Uallc zall = 0
(58, zall) the overall state vector [defines] @ smooth-1, smooth-2
    zall = [z_7O; zb_1O; 1; zb_5O; 1]
(59, Ubar, printed) reduced 9 × 9 matrix, printed [own] @ smooth-1, smooth-2
    Ubarp zbar = bp
(59, b, printed) right-hand side of (59), printed [own] @ smooth-1, smooth-2
    Ubarp zbar = bp
(59, rank, printed) rank of the reduced system, printed [own] @ smooth-1, smooth-2
    rankp = rank(Ubarp) = 7
(59, Ubar, completed) reduced 9 × 9 matrix, completed [own] @ smooth-1, smooth-2
    Ubarc zbar = bc
(59, b, completed) right-hand side of (59), completed [own] @ smooth-1, smooth-2
    Ubarc zbar = bc
(59, rank, completed) rank of the reduced system, completed [own] @ smooth-1, smooth-2
    rankc = rank(Ubarc) = 9
(60, zbar) the nine unknowns of (59) [defines] @ smooth-1, smooth-2
    zbar = [z_7O[3]; z_7O[5:6]; zb_1O; zb_5O]
(61, za1O) loads at the output of rod 1 @ smooth-1, smooth-2
    za_1O = Y_{61} = [m a s_1, -m a c_1, 4 m a^2 / 3; -m, 0, -m a s_1; 0, -m, m a c_1] zb_1O + [-m a g c_1; -m a c_1 w_1^2; -m a s_1 w_1^2 - m g]
(62, zb1I) accelerations at the tip of rod 1 @ smooth-1, smooth-2
    zb_1I = Y_{62} = [zb_1O[1] + 2 a s_1 zb_1O[3] + 2 a c_1 w_1^2; zb_1O[2] - 2 a c_1 zb_1O[3] + 2 a s_1 w_1^2; zb_1O[3]] = T22^-1 (zb_1O - fb)
    ! Y_{62} = [zb_1O[1] - 2 a s_1 zb_1O[3] + 2 a c_1 w_1^2; zb_1O[2] + 2 a c_1 zb_1O[3] + 2 a s_1 w_1^2; zb_1O[3]]
        | X6; the print multiplies by T22 instead of its inverse: the terms 2 a s1 Ω̇ and 2 a c1 Ω̇ have the wrong sign and violate (20)
