paper deduction: the overall transfer equation by the deduction theorem
at tree
index n : element
index l : input(n)
index k : further(n)
index e : end(n)
index c : before(n, l)
index i : first
index j : second(i)
index t : rigid
index a : kept
index b : beyond(a)
index x : section
index d : dimension

-- States. An end of an element is O, I, or I1, I2, …; one of a boundary has the number beyond, 0 for none.
letter z_ne as z : state of an end, s being before its 1; (m, q) act on an element at its input, their opposite at its output
letter zr as z_root : state of the root
letter y_nl as z̄ : state of an input without s, as the paper writes it
letter r_ne as r̈ : acceleration of an end, in inertial axes
letter Om_ne as Ω̇ : angular acceleration of its element
letter m_ne as m, q_ne as q : moment and force at an end
letter a_ne as a : (r̈, Ω̇) of an end
letter ddx_nl as ẍ, ddy_nl as ÿ, ddz_nl as z̈, Omx_nl as Ω̇_x, Omy_nl as Ω̇_y, Omz_nl as Ω̇_z : 1×1, entries of a state by their names
letter mx_nl as m_x, my_nl as m_y, mz_nl as m_z, qx_nl as q_x, qy_nl as q_y, qz_nl as q_z : 1×1, entries of a state by their names
letter s : relative accelerations that hinges leave open, in the order of the elements
letter dim as d, nn as n : 1×1, dimension; size of (r̈, Ω̇) and of (m, q)

-- Bodies in space, their points as seen from the first input, in inertial axes.
letter m_n : 1×1, mass
letter J_n as J_C, Ω_n, rC_n as r_IC, rO_n as r_IO, f_n as f_C, mC_n as m_C : inertia about C, angular velocity, centre, output; external force and moment at C
letter aC_n as r̈_C : 3×1, acceleration of the centre, from the motion
letter rI_nl as r_I : 3×1, place of an input
letter E1_n as E_1, E2_n as E_2, F1_nk as E_1, F2_nk as E_2 : blocks of U_I1 and of H_I1 as the page shows them
letter UI_nl as U, HI_nk as H_I1, HK_nk as H : matrices of a body as the page shows them, without s
letter Uc_n as U : 13×19, matrix of a body with two inputs from (r̈, Ω̇, m, q)_I1, (m, q)_I2 and 1
letter left_n as β : 12×1, what the balance that (19) and (20) are solved from leaves of the true motion
letter Uone_d as U_I, Ufirst_d as U_I1, Usame as U_I : matrix of a body with one input, of the first of several, and by the general balance; of any data

-- Elements
letter U_n, U_nl as U : transfer matrix of an element with one input; of an input of a body with several
letter H1_nk as H_I1, H_nk as H : geometric matrices of a further input: what the first one's state and its own say of it
letter X_n, Sub_n as H, γ_n : a hinge: what its input's acceleration, s and neither of them give of its output's
letter Hr_n as H_r, HO_n as H_Ω : directions that a hinge leaves open, of r̈ and of Ω̇
letter τ_n, G_n : what drives a hinge along them, and its row

-- The equation that is deduced
letter M_r, M_ij as M : its block in the main row at the root, at another boundary end
letter G_nkr, G_nkij as G : the same in the geometric row of a further input
letter R_nij as G : the same in the row of what drives a hinge
letter N_r as M̄, N_ab as M̄, K_nkr as Ḡ, K_nkab as Ḡ : the same blocks once both ends of each cut are paired
letter C : both ends of a cut: turns the sign of (m, q)
letter I : unit matrix
letter ends, cuts, mains, others, states : 1×1, numbers of boundary ends that are not cut, of cuts, of main and of geometric rows, of states in z_all
letter unknown, given : 1×1, numbers of unknowns and of equations that the deduction counts
letter open, size : 1×1, number of accelerations that hinges leave open; order of an element's matrix
letter is_nk, has_ij : 1×1, 1 if the equation has this geometric row, this state

-- Models that are ready made
letter zall as z_all, zcut as z̄_all : states of all ends, one below the other; of those that pairing leaves
letter un_ij as o : places of what is unknown in the state of an end
letter mass_t as m, JC_t as J_C, len_t as l, EA_t as EA : 1×1, data of a body in kg, kg m², m and N

-- Beams, in the axes of the floating frame at the input
letter zI as z_I, zO as z_O, zK as z_Ik : states of input, output and a further input in one motion
letter aI as a_I, aO as a_O, lI as (m,q)_I, lO as (m,q)_O, ηI as η̈_I, ηO as η̈_O : parts of them
letter modes as n : 1×1, number of modal coordinates
letter Msh as M, psh as p : inertia and strain as derived
letter mass as m, w as Ω, ζ : 1×1, mass, spin, damping
letter S : 2×2, the turn by 90°
letter v as η̇, η : modal coordinates and their rates
letter c1 as c, D1 as D, J1 as J, h1 as h, Q1 as Q : integrals over the mass of S ρ, ∂ρ, ρᵀρ, (S ρ)ᵀ∂ρ, ∂ρᵀ∂ρ, ρ being places, ∂ρ their slopes by η
letter b1 as b, hb as h_b, Qb as Q_b : integrals of the bias of ρ̈, of (S ρ)ᵀ and ∂ρᵀ times it
letter Ke as K : stiffness by stretching and bending
letter A_x as J, g_x : acceleration (r̈, Ω̇) of a section as derived: J (r̈, Ω̇, η̈) + g
letter ρ_x, D_x, κ_x as φ', b_x : place of a section, its slopes by η, slopes of its turn, and what foreshortening adds to ρ̈
letter Ur as U_η̈ : rows of the matrix that pass η̈ on
letter Ua as U_a, Ul as U_l, Uη as U_η, U1 as U_1, Ud as U, Ue as U : parts of the matrix that the page shows, for (r̈, Ω̇), (m, q), η̈ and 1; the derived one; the one without η̈
letter Ga as G_a, Gl as G_l, Gη as G_η, G1 as G_1, Gd as G : the same of the modal rows
letter zeI as z_I, zeO as z_O : states without η̈
letter UI1 as U_I1, UIk as U_Ik, HI1 as H_I1, HIk as H_Ik, GI1 as G_I1, GIk as G_Ik : matrices of a beam with a further input

-- The theorem, said of the system itself
define Q_nlij as Q := {j ∈ reaches(i, n, l)} I + Σ_c P_cij | product of the elements from a boundary end to an input
define P_nij as P := Σ_l U_nl Q_nlij | the same to an output

# States and elements
(1) state of an end in space [restored]
    y_nl = [r_nl; Om_nl; m_nl; q_nl; 1] for n ∈ body, l ∈ start(n)
    z_nl = [r_nl; Om_nl; m_nl; q_nl; s; 1] for n ∈ body, l ∈ start(n)
(2) its components [restored]
    y_nl = [ddx_nl; ddy_nl; ddz_nl; Omx_nl; Omy_nl; Omz_nl; mx_nl; my_nl; mz_nl; qx_nl; qy_nl; qz_nl; 1] for n ∈ body, l ∈ start(n)
(3) its parts [restored]
    r_nl = [ddx_nl; ddy_nl; ddz_nl] for n ∈ body, l ∈ start(n)
    Om_nl = [Omx_nl; Omy_nl; Omz_nl] for n ∈ body, l ∈ start(n)
    m_nl = [mx_nl; my_nl; mz_nl] for n ∈ body, l ∈ start(n)
    q_nl = [qx_nl; qy_nl; qz_nl] for n ∈ body, l ∈ start(n)
(4) state of a flexible body's end [restored] @ beam, stiffer
    zO = [aO; lO; ηO; 1]
    rows(zO) = 7 + modes
    Ur = [zeros(modes, 6), eye(modes), zeros(modes, 1);]
    ηO = ηI
(5) transfer equation of an element [absent] @ tree, chain, general, example_2, flat
    z_nO = U_n z_nI for n ∈ one

# Chains and rings
(6) overall equation of a chain [absent] @ chain
    zr = U_6 U_5 U_4 U_3 U_2 U_1 z_{1,0}
(7) overall matrix of a chain [absent] @ names-chain
    M_{1,0} = U_6 U_5 U_4 U_3 U_2 U_1
    M_r = -I
(below 7) successive premultiplication of the elements' matrices [text] @ chain
    z_nO = F_n z_{1,0} where F_0 := I, F_n := U_n F_{n-1}
(8) the same as a sum of zero [absent] @ chain
    -zr + M_{1,0} z_{1,0} = 0
(below 8) order of a chain's overall matrix [text] @ chain
    size = 13 + open
    ! size = 13 | a hinge's open relative accelerations, which no element gives, count in n too
(9) a ring, parted [absent] @ ring
    zr = M_{1,6} z_{1,6}
(10) its matrix [absent] @ names-ring
    M_{1,6} = U_6 U_5 U_4 U_3 U_2 U_1
    M_r = -I
(11) both sides of the cut [absent] @ ring
    zr = z_{1,6}
(12) its overall equation [absent] @ ring
    N_{1,6} = U_6 U_5 U_4 U_3 U_2 U_1 - I
    (U_6 U_5 U_4 U_3 U_2 U_1 - I) z_{1,6} = 0

# Bodies with several inputs
(13) transfer equation of a body with several inputs [absent] @ tree, general, example_2
    z_nO = Σ_l U_nl z_nl for n ∈ several
(14) its geometric equations [absent] @ tree, general, example_2
    H1_nk z_{n,I1} = H_nk z_nk
(below 13) unknowns of a body outnumber its transfer equation; the geometric equations fill it up [text]
    nn (Σ_l 1 + 1) = rows(UI_{n,I1}) - 1 + Σ_k rows(H_nk) for n ∈ several
    nn (Σ_l 1 + 1) = 2 nn + nn (Σ_l 1 - 1) for n ∈ several
(15) states of all its ends [restored]
    [r_nO; Om_nO; m_nO; q_nO; 1] = Uc_n [r_{n,I1}; Om_{n,I1}; m_{n,I1}; q_{n,I1}; m_{n,I2}; q_{n,I2}; 1] for n ∈ two
(16) acceleration of the output from the first input's [absent]
    r_nO = r_{n,I1} - ~rO_n Om_{n,I1} + (~Ω_n)^2 rO_n = r_{n,I1} + E1_n Om_{n,I1} + E2_n for n ∈ several
    Om_nO = Om_{n,I1} for n ∈ several
(17) acceleration of a further input from the first one's [absent]
    r_nk = r_{n,I1} - ~rI_nk Om_{n,I1} + (~Ω_n)^2 rI_nk = r_{n,I1} + F1_nk Om_{n,I1} + F2_nk
    Om_nk = Om_{n,I1}
(18) Newton's and Euler's law [absent]
    m_n aC_n = Σ_l q_nl - q_nO + f_n for n ∈ body
    J_n Om_nO + Ω_n × J_n Ω_n = m_nO - Σ_l m_nl + Σ_l (rI_nl - rC_n) × q_nl - (rO_n - rC_n) × q_nO + mC_n for n ∈ body
(18, solved) the balance that (19) and (20) are solved from [absent]
    left_n = 0 for n ∈ several
(19) U_I1 [absent]
    UI_{n,I1} = [1, -~rO_n, 0, 0, (~Ω_n)^2 rO_n; 0, 1, 0, 0, zeros(3, 1);
        -m_n ~rO_n + m_n ~rC_n, m_n ~rO_n ~rC_n + E8, 1, ~rO_n, ~rO_n E5 + E9; -m_n, m_n ~rC_n, 0, 1, E5; zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), 1]
        for n ∈ several where E8 := J_n - m_n (~rC_n)^2, E5 := f_n - m_n (~Ω_n)^2 rC_n, E9 := -mC_n - rC_n × f_n + Ω_n × E8 Ω_n
(below 19) U of one input is U_I1 [text] @ any
    Uone_d = Ufirst_d
    Uone_3 = Usame
(20) U_Ik [absent]
    UI_nk = [zeros(3, 3), 0, 0, 0, zeros(3, 1); 0, 0, 0, 0, zeros(3, 1); 0, 0, 1, ~rO_n - ~rI_nk, zeros(3, 1); 0, 0, 0, 1, zeros(3, 1);
        zeros(1, 3), zeros(1, 3), zeros(1, 3), zeros(1, 3), 0]
(21) H_I1 [absent]
    HI_nk = [1, -~rI_nk, zeros(3, 6), (~Ω_n)^2 rI_nk; 0, 1, zeros(3, 6), zeros(3, 1)]
(22) H_Ik [absent]
    HK_nk = [1, 0, zeros(3, 7); 0, 1, zeros(3, 7)]

# Hinges and beams
(hinge) a hinge's matrix [own] @ tree, chain, general, example_2, flat
    a_nO = X_n a_nI + Sub_n s + γ_n for n ∈ hinge
(hinge, row) what drives a hinge [own] @ tree, chain, general, example_2, flat
    HO_n^T m_nO - Hr_n^T q_nO + τ_n = 0 for n ∈ hinge
    G_n z_nO = 0 for n ∈ hinge
(beam, balance) inertia and strain of a beam [own] @ beam, stiffer
    Msh = [mass, c1, D1; c1^T, J1, h1; D1^T, h1^T, Q1]
    psh = [b1; hb; Qb + Ke η + ζ Ke v]
(beam, output) acceleration of its output and of a section within [own] @ beam, stiffer
    A_x = [1, S ρ_x, D_x; zeros(1, 2), 1, κ_x]
    g_x = [-w^2 ρ_x + 2 w S D_x v + b_x; 0]
(beam) its matrix [own] @ beam, stiffer
    zO = Ua aI + Ul lI + Uη ηI + U1
    zO = Ud zI
(beam, modal) what drives its modal accelerations [own] @ beam, stiffer
    Ga aI + Gl lI + Gη ηI + G1 = 0
    Gd zI = 0
(beam, inputs) its matrices where it has several inputs [own] @ forked
    zO = UI1 zI + UIk zK
    HI1 zI = HIk zK
    GI1 zI + GIk zK = 0
(beam, eliminated) its matrix without them [own] @ beam, stiffer
    zeO = Ue zeI

# Trees
(23) main equation [absent]
    -zr + Σ_ij M_ij z_ij = 0
(24) its products [absent] @ names-tree
    M_r = -I
    M_{12,0} = U_5 U_{4,I1} U_1 U_{9,I1} U_6 U_{12}
    M_{14,0} = U_5 U_{4,I1} U_1 U_{9,I2} U_7 U_{14}
    M_{16,0} = U_5 U_{4,I2} U_2 U_{10,I1} U_{11} U_{16}
    M_{18,0} = U_5 U_{4,I2} U_2 U_{10,I2} U_{13} U_{18}
    M_{8,0} = U_5 U_{4,I3} U_3 U_8
(25) geometric equation of body 9 [absent]
    H1_{9,I2} z_{9,I1} - H_{9,I2} z_{9,I2} = 0
(26) states at its inputs from the tips [absent]
    z_{9,I1} = U_6 U_{12} z_{12,0}
    z_{9,I2} = U_7 U_{14} z_{14,0}
(27) inserted [absent]
    H1_{9,I2} U_6 U_{12} z_{12,0} - H_{9,I2} U_7 U_{14} z_{14,0} = 0
    G_{9,I2,12,0} z_{12,0} + G_{9,I2,14,0} z_{14,0} = 0
(28) written as a row [absent] @ names-tree
    G_{9,I2,r} = 0
    G_{9,I2,12,0} = H1_{9,I2} U_6 U_{12}
    G_{9,I2,14,0} = -H_{9,I2} U_7 U_{14}
    G_{9,I2,16,0} = 0
    G_{9,I2,18,0} = 0
    G_{9,I2,8,0} = 0
(29) its blocks [absent] @ names-tree
    G_{9,I2,i,j} = {i = 12} H1_{9,I2} U_6 U_{12} - {i = 14} H_{9,I2} U_7 U_{14}
(30) geometric equations of bodies 10 and 4 [absent]
    H1_{10,I2} U_{11} U_{16} z_{16,0} - H_{10,I2} U_{13} U_{18} z_{18,0} = 0
    H1_{4,I2} U_1 U_{9,I1} U_6 U_{12} z_{12,0} = H_{4,I2} U_2 U_{10,I1} U_{11} U_{16} z_{16,0}
    H1_{4,I3} U_1 U_{9,I1} U_6 U_{12} z_{12,0} = H_{4,I3} U_3 U_8 z_{8,0}
    Σ_ij G_nkij z_ij = 0 for n ≠ 9
(31) their blocks [absent] @ names-tree
    G_{10,I2,i,j} = {i = 16} H1_{10,I2} U_{11} U_{16} - {i = 18} H_{10,I2} U_{13} U_{18}
    G_{4,I2,i,j} = {i = 12} H1_{4,I2} U_1 U_{9,I1} U_6 U_{12} + {i = 14} H1_{4,I2} U_1 U_{9,I2} U_7 U_{14}
        - {i = 16} H_{4,I2} U_2 U_{10,I1} U_{11} U_{16} - {i = 18} H_{4,I2} U_2 U_{10,I2} U_{13} U_{18}
    G_{4,I3,i,j} = {i = 12} H1_{4,I3} U_1 U_{9,I1} U_6 U_{12} + {i = 14} H1_{4,I3} U_1 U_{9,I2} U_7 U_{14} - {i = 8} H_{4,I3} U_3 U_8
    G_nkr = 0
(32) overall equation of a tree [absent]
    -zr + Σ_ij M_ij z_ij = 0
    Σ_ij G_nkij z_ij = 0
(33) overall matrix of a tree [absent] @ names-tree
    M_r = -I
    M_ij = P_nij for n ∈ last
    G_nkr = 0
    G_nkij = H1_nk Q_{n,I1,i,j} - H_nk Q_nkij
(below 33) a chain's equation is a tree's with one tip [text] @ names-chain
    M_r = -I
    M_{1,0} = P_{6,1,0} = U_6 U_5 U_4 U_3 U_2 U_1
    others = 0

# General systems
(34) both ends of a cut [absent] @ general, example_2
    z_ij = C z_ji for i ∈ dropped
(below 34) either state may be eliminated [text] @ general, example_2
    C C = I
(35) C [absent] @ general, example_2
    C = diag(eye(nn), -eye(nn), eye(rows(s)), 1)
(below 35) n of C: 3 in the plane, 6 in space [text] @ general, example_2
    (rows(C) - tr(C)) / 2 = nn = dim (dim + 1) / 2
(36) overall equation with both ends of the cut [absent] @ general, example_2
    -zr + Σ_ij M_ij z_ij = 0
    Σ_ij G_nkij z_ij = 0
(37) its matrix [absent] @ names-general, names-example_2
    M_r = -I
    M_ij = P_nij for n ∈ last
    G_nkr = 0
    G_nkij = H1_nk Q_{n,I1,i,j} - H_nk Q_nkij
(38) with one end of the cut [absent] @ general, example_2
    -zr + Σ_{a∈kept, b∈beyond(a)} N_ab z_ab = 0
    Σ_{a∈kept, b∈beyond(a)} K_nkab z_ab = 0
(39) its matrix [absent] @ names-general, names-example_2
    N_r = -I
    N_ab = M_ab + {a ∈ cut} M_ba C
    K_nkr = 0
    K_nkab = G_nkab + {a ∈ cut} G_nkba C

# The theorem
(theorem 1) z_all has the states of all boundary ends [text] @ tree, chain, general
    has_ij = 1 for i ∈ boundary
    states = 1 + Σ_{i∈boundary} 1
(theorem 2) rows of a tree [text] @ names-tree
    M_r = -I
    M_ij = P_nij for n ∈ last
    G_nkr = 0
    G_nkij = H1_nk Q_{n,I1,i,j} - H_nk Q_nkij
(theorem 2, rows) a row for each input of a body but its first [text] @ tree, general, example_2
    is_nk = 1
    others = Σ_n Σ_k 1
(theorem 3) a chain [text] @ names-chain
    M_{1,0} = U_6 U_5 U_4 U_3 U_2 U_1
    M_r = -I
(theorem 4) a ring: tip and root with the same state [text] @ ring
    zr = z_{1,6}
(theorem 5) a general system: both ends of a cut [text] @ general, example_2
    z_ij = C z_ji for i ∈ dropped
    ! z_ij = z_ji for i ∈ dropped | loads change their sign where both ends are inputs, by C of (34)
(unknowns) as many equations as unknowns [own] @ tree, chain, ring, general, example_2
    unknown = nn ends + 2 nn cuts + rows(s)
    given = 2 nn mains + nn others + rows(s)
    unknown = given
(hinges) rows that say what drives the hinges [own] @ tree, chain, ring, general, example_2
    Σ_ij R_nij z_ij = 0 for n ∈ hinge

# Example 1
(40) overall equation [absent] @ example_1
    -zr + U_6 U_{5,I1} U_4 U_3 U_2 U_1 z_{1,0} + U_6 U_{5,I2} U_7 U_8 z_{8,0} = 0
    H1_{5,I2} U_4 U_3 U_2 U_1 z_{1,0} - H_{5,I2} U_7 U_8 z_{8,0} = 0
(41) overall matrix [absent] @ names-example_1, ready-1
    M_r = -I
    M_{1,0} = U_6 U_{5,I1} U_4 U_3 U_2 U_1
    M_{8,0} = U_6 U_{5,I2} U_7 U_8
    G_{5,I2,r} = 0
    G_{5,I2,1,0} = H1_{5,I2} U_4 U_3 U_2 U_1
    G_{5,I2,8,0} = -H_{5,I2} U_7 U_8
(42) states of the ends [restored] @ ready-1
    zall = [z_{6,0}; z_{1,0}; z_{8,0}]
(43) the root is z_6,0 [restored] @ ready-1
    zr = z_{6,0}
    zcut = zall
(44) its main row [absent] @ example_1
    zr = U_6 U_{5,I1} U_4 U_3 U_2 U_1 z_{1,0} + U_6 U_{5,I2} U_7 U_8 z_{8,0}
(45) what is known at the ends [absent] @ example_1
    zr[1:3] = 0
    z_{1,0}[4:6] = 0
    z_{8,0}[4:6] = 0
(45, by name) the ends' conditions: clamped, free, free [absent] @ ready-1
    un_{6,0} = [4; 5; 6]
    un_{1,0} = [1; 2; 3]
    un_{8,0} = [1; 2; 3]
(Example 1) masses and inertias [text] @ ready-1
    mass_t = 7.8
    JC_t = 0.013
(Example 1, beam) the beam's length and stiffness [text] @ ready-1
    len_3 = 3
    EA_3 = 1000

# Example 2
(46) overall equation [absent] @ example_2
    -zr + U_1 U_2 U_{3,I1} U_4 U_5 U_6 U_7 U_8 U_9 z_{9,14} + U_1 U_2 U_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14} z_{14,9} = 0
    H1_{3,I2} U_4 U_5 U_6 U_7 U_8 U_9 z_{9,14} - H_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14} z_{14,9} = 0
(46, by name) the overall matrix of the ready-made model [absent] @ names-example_2, ready-2
    M_r = -I
    M_{9,14} = U_1 U_2 U_{3,I1} U_4 U_5 U_6 U_7 U_8 U_9
    M_{14,9} = U_1 U_2 U_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14}
    G_{3,I2,r} = 0
    G_{3,I2,9,14} = H1_{3,I2} U_4 U_5 U_6 U_7 U_8 U_9
    G_{3,I2,14,9} = -H_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14}
(47) overall matrix, its cut's ends paired [absent] @ names-example_2, ready-2
    N_r = -I
    N_{9,14} = U_1 U_2 U_{3,I1} U_4 U_5 U_6 U_7 U_8 U_9 + U_1 U_2 U_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14} C
    K_{3,I2,r} = 0
    K_{3,I2,9,14} = H1_{3,I2} U_4 U_5 U_6 U_7 U_8 U_9 - H_{3,I2} U_{10} U_{11} U_{12} U_{13} U_{14} C
(48) states of the ends [restored] @ ready-2
    zall = [z_{1,0}; z_{9,14}; z_{14,9}]
(49) both ends of the cut [absent] @ example_2
    z_{14,9} = diag(eye(3), -eye(3), eye(rows(s)), 1) z_{9,14}
(50) what is known at the pin to the ground [absent] @ example_2
    zr[1:2] = 0
    zr[4] = 0
(50, by name) the ends' conditions: pinned, nothing at the cut [absent] @ ready-2
    un_{1,0} = [3; 5; 6]
    un_{9,14} = [1; 2; 3; 4; 5; 6]
(Example 2) masses and inertias [text] @ ready-2
    mass_t = 1
    JC_t = 1 / 6
