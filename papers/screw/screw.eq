paper screw: recursive equations of motion by screws, in four representations of twists
at slide, pin
index i : body
index j, k, r, s : way(i)
index c : out(i)
index l, m, n : joint
index f : frame(i)
index g : axes(i, f)
index e : beyond(2)
index t : increment
letter q_i as q : 1×1, coordinate of joint i
letter C_i, C_ij : 4×4, pose of body i; C_ij = C_i⁻¹ C_j
letter R_i, Rc_i as Rᶜ : 3×3, rotation of body i; of a frame at its centre of mass, turned anyhow
letter r_i, r_ij, rc_i as rᶜ : 3×1, place; r_ij = r_j − r_i; of the centre of mass; inertial axes
letter dn_ij as ḋ : 3×1, defined nowhere
letter ω_i : 3×1, angular velocity, inertial axes
constant X_i : 6×1, screw of joint i in body i
letter X0_i as ⁰X : 6×1, screw of joint i turned into inertial axes
constant A_i, B_i : 4×4, pose of body i where all coordinates are zero; of body i in its parent there
letter Vb_i as Vᵇ, Vbc_i as Vᵇᶜ : 6×1, body-fixed twist by its definition, C⁻¹ Ċ; of the frame at the centre
letter Vs_i as Vˢ : 6×1, spatial twist, Ċ C⁻¹
letter Vh_i as Vʰ, Vhc_i as Vʰᶜ : 6×1, hybrid twist (ω, ṙ); of the frame at the centre
letter Vm_i as Vᵐ, Vmc_i as Vᵐᶜ : 6×1, mixed twist (Rᵀω, ṙ); of the frame at the centre
letter Jb_ij as Jᵇ, Jh_ij as Jʰ, Jm_ij as Jᵐ : 6×1, column of joint j, zero off the way to i
letter Js_i as Jˢ : 6×1, spatial column of joint i
letter Ub_ij as Vᵇ, Us_ij as Vˢ, Uh_ij as Vʰ : 6×1, twist of body i where joint j alone moves, at unit rate
letter E_i as exp(Xq), EY_i as exp(Yq), EZ_i as exp(Zq) : 4×4, exponential of a joint's screw in three frames
constant S_i : 4×4, pose of the joint's own frame in body i
constant Mb_i as Mᵇ, Mbc_i as Mᵇᶜ : 6×6, inertia by particles; from the frame at the centre
letter Ms_i as Mˢ, Mh_i as Mʰ, Mhc_i as Mʰᶜ : 6×6, inertia by particles; from the frame at the centre
constant Θc_i as Θᶜ : 3×3, inertia about the centre of mass, axes of the frame there, by particles
constant Sc_i as Sᶜ : 4×4, pose of the frame at the centre of mass in body i
constant G_i as Σᵇ : 4×4, second moments Σ m (p, 1)(p, 1)ᵀ of the particles of body i
constant m_i : 1×1, mass
constant d_i as dᵇ : 3×1, from the origin of body i to its centre of mass, own axes
letter Ps_i as Πˢ, Ph_i as Πʰ, Phc_i as Πʰᶜ : 6×1, momentum by particles
letter Wb_i as Wᵇ, Ws_i as Wˢ, Wh_i as Wʰ, Wbc_i as Wᵇᶜ, Whc_i as Wʰᶜ : 6×1, the wrench that moves the particles
letter Wappb_i as Wᵇᵃᵖᵖ, Wapps_i as Wˢᵃᵖᵖ, Wapph_i as Wʰᵃᵖᵖ, Wappm_i as Wᵐᵃᵖᵖ : 6×1, an applied wrench
letter Lb_i as Λᵇ : 6×1, wrench that joint i transmits, by particles of all bodies beyond it
letter W_ifg : 6×1, wrench that moves body i, about the origin of frame f, in axes of frame g, by particles
letter I_ifg as M : 6×6, inertia of body i about the origin of frame f, in axes of frame g, by particles
letter Q_i : 1×1, what joint i must give beside applied forces, by d'Alembert's principle on particles
letter Q : what all joints must give beside applied forces, one below the other
letter Qg_i as Qᵍ : 1×1, what joint i must give beside weights, by d'Alembert's principle on particles
constant γ as g : 6×1, (0, g), gravity in inertial axes
letter M : mass matrix by particles
letter M_lm, Mx_lmn as ∂M : 1×1, its entries and their slopes ∂M_lm/∂q_n by particles
letter Sq_lm as ∂Q, Su_lm as ∂Qᵘ, Sa_lm as ∂Qᵃ : 1×1, slopes of Q_l beside weights by q_m, q̇_m, q̈_m, by particles
letter Sg_l as ∂Qᵍ : 1×1, slope of Q_l beside weights by joint 2's geometry, a frozen joint's coordinate
constant U : 6×1, screw along which the place of joint 2 in body 1 is varied
letter Cv_i as δC : 4×4, slope of the pose of body i along that variation
letter Co_i as Cᵒ : 4×4, pose of body i in a description with frames of its own
constant Mo_i as Mᵒ, Xo_i as Xᵒ, Ao_i as Aᵒ : inertia, joint screw and pose at zero in that description
letter Qo_i as Qᵒ : 1×1, what joint i must give beside applied forces, in that description
letter Xn_t as X, EX_t as exp(X) : increment on its way, (ω, v), and its exponential
letter θ_t, ca_t as cos(θ), sa_t as sin(θ) : 1×1, its angle, the cosine and sine
constant C0 as C₀ : 4×4, a fixed pose
letter Wpb_i as Wᵇᵖ, Wps_i as Wˢᵖ, Wph_i as Wʰᵖ, Wpm_i as Wᵐᵖ : 6×1, wrench, by the program's inward sweep
letter τb_i as τᵇ, τs_i as τˢ, τh_i as τʰ, τm_i as τᵐ : 1×1, force of joint i by the program
letter Vp_i as Vᵖ, Ap_i as Aᵖ, Jp_i as Jᵖ : 6×1, twist, rate over rising ground and column by the program
define Y_i as Y := Ad(A_i) X_i | (95), screw of joint i in inertial axes where all coordinates are zero
define K_lm := Σ_{i∈beyond(l)} {i∈beyond(m)} Jb_il^T Mb_i Jb_im | (82)
define Ja as J := mat_lm(Jb_lm) | the system's Jacobian
define Aa as A := mat_lm({m≤l} Ad(C_lm)) | (9), before
define Xa as X := diag_l(X_l)
define aa as a := diag_l(q'_l ad(X_l)) | (10)
define ba as b := diag_l(ad(Vb_l)) | (83)
define Ma as Mᵇ := diag_l(Mb_l)
define Va as Vᵇ := col_l(Vb_l)
define qa as q := col_l(q_l)
define La as L := mat_lm({m≤l} eye(6)) | (19), before
define bs as bˢ := diag_l(ad(Vs_l)) | (20)
define Vsa as Vˢ := col_l(Vs_l)
define Pa as Π̄ := diag_l(bar(Mb_l Vb_l)) | bar(Π) V = ad_Vᵀ Π
define Ca as C := -Ja^T (Ma Aa aa + ba^T Ma) Ja | (85)
define Csk as Cˢ := -Ja^T (Ma Aa aa + Pa) Ja | with Π̄ for bᵀ M
define Cch as Cᶜ := -Ja^T (Ma Aa aa + (ba^T Ma + Pa - Ma ba) / 2) Ja
define Γ_lmn := (Mx_lnm + Mx_lmn - Mx_mnl) / 2 | Christoffel's symbols
define Cor as Cᵖ := mat_lm(Σ_n Γ_lmn q'_n) | Coriolis matrix by particles
define dM as Ṁ := mat_lm(Σ_n Mx_lmn q'_n) | rate of the mass matrix by particles
define Θ_i := Mb_i[1:3,1:3] | inertia about the origin of body i, own axes
define wb_i as ωᵇ := Vb_i[1:3]
define vb_i as vᵇ := Vb_i[4:6]
define wc_i as ωᵇᶜ := Vbc_i[1:3]
define vc_i as vᵇᶜ := Vbc_i[4:6]
define ωc_i as ωᶜ := Vhc_i[1:3]
define wm_i as ωᵐ := Vm_i[1:3]
define um_i as vᵐ := Vm_i[4:6]
define Θh_i as Θʰ := Mh_i[1:3,1:3] | about the origin of body i, inertial axes
define Θk_i as Θʰᶜ := Mhc_i[1:3,1:3] | about the centre of mass, inertial axes
define dh_i as d := R_i d_i | to the centre of mass, inertial axes
define H_i as E := [R_i^T, 0; 0, eye(3)]
define Vj_if as ʲV := Ad(C_f)^-1 Vs_i | twist seen from the origin of frame f, in its axes
define Mj_if as ʲM := Ad(C_f)^T Ms_i Ad(C_f) | (62)
define R_fg := R_f^T R_g
define Vk_ifg as ᵏV := Ad(R_fg)^T Vj_if
define Mk_ifg as ᵏM := Ad(R_fg)^T Mj_if Ad(R_fg) | (65)
define Ab_i as Aᵇ := Vb'_i - Ad(C_i)^-1 γ | over a ground that rises against gravity
define As_i as Aˢ := Vs'_i - γ
define Ah_i as Aʰ := Vh'_i - γ
define Wg_i as Wᵇᵍ := Mb_i Ab_i - ad(Vb_i)^T Mb_i Vb_i + Σ_c Ad(C_ci)^T Wg_c | (68), beside weights
define Wgs_i as Wˢᵍ := Ms_i As_i - ad(Vs_i)^T Ms_i Vs_i + Σ_c Wgs_c | (72), beside weights
define Mt_i as Mᵗ := Ms_i + Σ_c Mt_c | inertia of all that joint i carries
define Tt_i as T := -Ms_i ad(Vs_i) - bar(Ms_i Vs_i) - ad(Vs_i)^T Ms_i + Σ_c Tt_c
define J1_i as J′ := [Vs_i, Js_i]
define J2_i as J″ := [As_i, Js_i] + [Vs_i, J1_i]
define Gv as G := Ad(C_1 B_2) U | spatial screw of the variation
define Pe_t := 1 + (4 θ_t - 5 sa_t + θ_t ca_t) / (2 θ_t^3) ad(Xn_t)^2 + (2 θ_t - 3 sa_t + θ_t ca_t) / (2 θ_t^5) ad(Xn_t)^4 | even powers of dexp
define Po_t := (4 - θ_t sa_t - 4 ca_t) / (2 θ_t^2) ad(Xn_t) + (2 - θ_t sa_t - 2 ca_t) / (2 θ_t^4) ad(Xn_t)^3 | odd powers of dexp
define Mr_i as Mʳ := Ad(C_i)^-1^T Mb_i Ad(C_i)^-1 | (35), with its rates
define F_l := Σ_{i∈beyond(l)} Jb_il^T (Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i)

# Motion equations
(1) the motion equations
    M qa'' + Ca qa' = Q + Ja^T col_l(Wappb_l)

# Body-fixed
(2) acceleration by the Jacobian's partial derivatives
    Vb'_i = Σ_j Jb_ij q''_j + Σ_jk ∂_k(Jb_ij) q'_j q'_k
(3) derivative of a column of the Jacobian as a matrix
    hat(Jb_ij) = C_i^-1 C_j A_j^-1 hat(Y_j) A_j C_j^-1 C_i
    ∂_k(hat(Jb_ij)) = ∂_k(C_ij) A_j^-1 hat(Y_j) A_j C_j^-1 C_i + C_i^-1 C_j A_j^-1 hat(Y_j) A_j ∂_k(C_ji)
    ! ∂_k(hat(Jb_ij)) = ∂_k(C_ij) A_j^-1 hat(Y_j) A_j C_i^-1 C_j + C_i^-1 C_j A_j^-1 hat(Y_j) A_j ∂_k(C_ji)
        | the first term ends in A_j C_j⁻¹ C_i, not in A_j C_i⁻¹ C_j
(4) derivative of the relative pose
    ∂_k(C_ij) = -{j<k≤i} hat(Jb_ik) C_ij for k∈body
    ∂_k(C_ij) = -C_i^-1 C_k A_k^-1 hat(Y_k) A_k C_k^-1 C_j for j<k
    ! ∂_k(C_ij) = -{j≤k≤i} hat(Jb_ik) C_ij for k∈body | holds for j < k ≤ i; at k = j the derivative is zero
(5) derivative of the relative pose, the other way
    ∂_k(C_ji) = {j<k≤i} C_ji hat(Jb_ik) for k∈body
    ! ∂_k(C_ji) = {j≤k≤i} C_ji hat(Jb_ij) for k∈body | J_ik instead of J_ij, for j < k ≤ i
(6) derivative of a column is a screw product
    ∂_k(Jb_ij) = {j<k≤i} [Jb_ij, Jb_ik] for k∈body
(7) acceleration by screw products
    Vb'_i = Σ_j Jb_ij q''_j + Σ_jk {j<k} [Jb_ij, Jb_ik] q'_j q'_k
(8) derivative of a column by Ad and ad
    ∂_k(Jb_ij) = Ad(C_ik) [Jb_kj, X_k] = -Ad(C_ik) ad(X_k) Jb_kj = -Ad(C_ik) ad(X_k) Ad(C_kj) X_j for j<k
(9) rate of the system Jacobian, −A a J
    Ja' = -Aa aa Ja
(10) a = diag(q̇_i ad_{X_i}); it is judged with (9) [defines]
(11) system acceleration
    Va' = Ja qa'' - Aa aa Va
(12) joint accelerations from twists
    qa'' = (Xa^T Xa)^-1 Xa^T (Aa^-1 Va' + aa Va)
(13) second derivatives of a column
    ∂_kr(Jb_ij) = {j<k≤r} [[Jb_ij, Jb_ik], Jb_ir] for k≤r
(14) jerk
    Vb''_i = Σ_j Jb_ij q'''_j + Σ_jk {j<k} [Jb_ij, Jb_ik] (2 q''_j q'_k + q'_j q''_k)
        + Σ_jkr {j<k≤r} (2 - {k=r}) [[Jb_ij, Jb_ik], Jb_ir] q'_j q'_k q'_r
    ! Vb''_i = Σ_j Jb_ij q'''_j + Σ_jk {j<k} [Jb_ij, Jb_ik] (2 q''_j q'_k + q'_j q''_k)
        + Σ_jkr {j<k≤r} 2 [[Jb_ij, Jb_ik], Jb_ir] q'_j q'_k q'_r | the factor is 2 − δ_kr, not 2
(15) ν-th derivatives of a column, here the third
    ∂_krs(Jb_ij) = {j<k≤r≤s} [[[Jb_ij, Jb_ik], Jb_ir], Jb_is] for k≤r≤s

# Spatial
(16) derivative of a column
    ∂_j(Js_i) = {j<i} [Js_j, Js_i] for j∈body
(17) rate of a column, [V, J]
    Js'_i = Σ_k [Js_k, Js_i] q'_k = [Vs_i, Js_i]
(18) acceleration by columns, and from the parent's
    Vs'_i = Σ_j Js_j q''_j + Σ_jk {k<j} [Js_k, Js_j] q'_j q'_k = Σ_j (Js_j q''_j + [Vs_j, Js_j] q'_j)
    Vs'_i = Vs'_p + Js_i q''_i + [Vs_p, Vs_i]
(19) system acceleration
    Vsa' = La diag_l(Js_l) qa'' + La bs La^-1 Vsa
    ! Vsa' = La diag_l(Js_l) qa'' + La bs Vsa | L b L⁻¹ V instead of L b V, which is L times ad_V V = 0
(20) b = diag(ad_{V_i}); it is judged with (19) [defines]
(21) second derivatives of a column
    ∂_kr(Js_i) = {r<i} [Js_k, [Js_r, Js_i]] for k≤r
(22) jerk
    Vs''_i = Σ_j (Js_j q'''_j + 2 [Vs_j, Js_j] q''_j) + Σ_jk {k≤j} [Js_k q''_k, Js_j] q'_j
        + Σ_j [Vs_pj + Vs_j - Vs_i, [Vs_j, Js_j]] q'_j
(23) the jerk written out
    Vs''_i = Σ_j (Js_j q'''_j + 2 [Vs_j, Js_j] q''_j + [[Vs_j, Js_j], Vs_i - 2 Vs_j] q'_j
        + [Σ_{k∈way(j)} Js_k q''_k + [Vs_j, Js_j] q'_j, Js_j] q'_j)
(24) ν-th derivatives of a column, here the third
    ∂_krs(Js_i) = {s<i} [Js_k, [Js_r, [Js_s, Js_i]]] for k≤r≤s

# Hybrid
(25) the derivation of (26), for j ≤ k
    ∂_k(Jh_ij) = ad(ang(Jh_ik)) Ad(R_i) Jb_ij + Ad(R_i) [Jb_ij, Jb_ik] for j<k
    ∂_k(Jh_ij) = [ang(Jh_ik), Jh_ij] + [Jh_ij, Jh_ik] = [Jh_ij, Jh_ik - ang(Jh_ik)] for j≤k
(26) derivative of a column
    ∂_k(Jh_ij) = {j≤k≤i} [Jh_ij, lin(Jh_ik)] + {k<j} [ang(Jh_ik), Jh_ij] for k∈body
    ! ∂_k(Jh_ij) = {j≤k≤i} [Jh_ij, lin(Jh_ik)] for k∈body | for k < j the derivative is [ʷJ_ik, J_ij], which the print lacks
(27) rate of a column by twists
    Jh'_ij = Σ_k {j≤k} [Jh_ij, lin(Jh_ik)] q'_k + [ang(Vh_pj), Jh_ij]
        = [Jh_ij, lin(Vh_i - Ad(r_ipj) Vh_pj)] + [ang(Vh_pj), Jh_ij]
    ! Jh'_ij = Σ_k {k≤j} [Jh_ij, lin(Jh_ik)] q'_k = [Jh_ij, lin(Vh_i - Ad(r_ipj) Vh_pj)]
        | the sum runs over j ≤ k ≤ i, and [ʷV, J_ij] with the parent's V of joint j is missing
(28) rate of a column by spins, three forms
    Jh'_ij = ad(0, r'_ij) X0_j + Ad(r_ij) ad(ω_j, 0) X0_j
        = Ad(r_ij) (ad(0, r'_ij) + ad(ω_j, 0)) X0_j = Ad(r_ij) (ad(Vh_j) - ad(0, r'_i)) X0_j
    ! Jh'_ij = ad(0, r'_ij) X0_j + Ad(r_ipj) ad(ω_j, 0) X0_j
        = Ad(r_ipj) (ad(0, dn_ij) + ad(ω_j, 0)) X0_j = Ad(r_ipj) (ad(Vs_j) - ad(0, r'_i)) X0_j
        | r_ij, not r_i,j−1, and ṙ_ij for ḋ_ij, which is defined nowhere; the hybrid twist Vʰ_j, not the spatial one
(29) acceleration by columns and their rates
    Vh'_i = Σ_j Jh_ij q''_j + Σ_jk ({j≤k} [Jh_ij, lin(Jh_ik)] + {k<j} [ang(Jh_ik), Jh_ij]) q'_j q'_k
        = Σ_j (Jh_ij q''_j + ([Jh_ij, lin(Vh_i - Ad(r_ipj) Vh_pj)] + [ang(Vh_pj), Jh_ij]) q'_j)
    ! Vh'_i = Σ_j Jh_ij q''_j + Σ_jk {j≤k} [Jh_ij, lin(Jh_ik)] q'_j q'_k
        = Σ_j (Jh_ij q''_j + [Jh_ij, lin(Vh_i - Ad(r_ipj) Vh_pj)] q'_j)
        | as in (26) and (27), the turning of what comes before joint j is missing
(30) acceleration by spins, and from the parent's as in (73)
    Vh'_i = Σ_j (Jh_ij q''_j + (ad(0, r'_ij) + Ad(r_ij) ad(ω_j, 0)) X0_j q'_j)
    Vh'_i = Ad(r_ip) Vh'_p + ad(0, r'_ip) Vh_p + ad(ω_i, 0) X0_i q'_i + X0_i q''_i
(31) second rate of a column
    Jh''_ij = (ad(0, r''_ij) + 2 ad(0, r'_ij) ad(ω_j, 0) + Ad(r_ij) (ad(ω'_j, 0) + ad(ω_j, 0) ad(ω_j, 0))) X0_j
(32) jerk
    Vh''_i = Σ_j Jh_ij q'''_j + Σ_j (2 ad(0, r'_ij) q''_j + (ad(0, r''_ij) + 2 ad(0, r'_ij) ad(ω_j, 0)) q'_j) X0_j
        + Σ_j Ad(r_ij) (2 ad(ω_j, 0) q''_j + (ad(ω'_j, 0) + ad(ω_j, 0) ad(ω_j, 0)) q'_j) X0_j
(33) the second line of (32), as what the columns' rates leave
    Σ_j (2 Jh'_ij q''_j + Jh''_ij q'_j - (2 ad(0, r'_ij) q''_j + (ad(0, r''_ij) + 2 ad(0, r'_ij) ad(ω_j, 0)) q'_j) X0_j)
        = Σ_j Ad(r_ij) (2 ad(ω_j, 0) q''_j + (ad(ω'_j, 0) + ad(ω_j, 0) ad(ω_j, 0)) q'_j) X0_j
    Vh''_i = Σ_j (Jh_ij q'''_j + 2 Jh'_ij q''_j + Jh''_ij q'_j)

# Mixed
(34) mixed twists, rates and jerk from the hybrid ones
    Vm_i = H_i Vh_i
    Vm'_i = H_i Vh'_i
    Jm'_ij = H_i (Jh'_ij - ad(ω_i, 0) ang(Jh_ij))
    Vm''_i = H_i (Vh''_i - ad(ω_i, 0) ang(Vh'_i))
    ! Jm'_ij = H_i Jh'_ij | diag(Rᵀ, 1) turns with the body, so that its rate enters J̇ and V̈
    ! Vm''_i = H_i Vh''_i | diag(Rᵀ, 1) turns with the body, so that its rate enters J̇ and V̈

# One body, spatial
(35) spatial inertia
    Ms_i = Ad(C_i)^-1^T Mb_i Ad(C_i)^-1
(36) spatial momentum
    Ps_i = Ms_i Vs_i = Ad(C_i)^-1^T Mb_i Vb_i
(37) spatial momentum changes by the wrench
    Ps'_i = Ws_i
(38) rate of the spatial inertia
    Mr'_i = -ad(Vs_i)^T Ms_i - Ms_i ad(Vs_i)
(39) spatial Newton–Euler equations
    Ws_i = Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i

# One body, body-fixed
(40) inertia in a frame at the centre of mass
    Mbc_i = [Θc_i, 0; 0, m_i eye(3)]
(41) inertia in any frame of the body
    Mb_i = Ad(Sc_i)^-1^T Mbc_i Ad(Sc_i)^-1 = [Z Θc_i Z^T - m_i (~d_i)^2, m_i ~d_i; -m_i ~d_i, m_i eye(3)]
        where Z := Sc_i[1:3,1:3]
(42) body-fixed Newton–Euler equations, by momenta and by twists
    Wb_i = (Mb_i Vb_i)' - ad(Vb_i)^T Mb_i Vb_i = Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i
(43) their moments
    Wb_i[1:3] = Θ_i wb'_i + wb_i × Θ_i wb_i + m_i d_i × (vb'_i + wb_i × vb_i)
(44) their forces
    Wb_i[4:6] = m_i (vb'_i + wb_i × vb_i + (~wb'_i + (~wb_i)^2) d_i)
(45) body-fixed at the centre of mass
    Wbc_i = Mbc_i Vbc'_i - ad(wc_i, 0)^T Mbc_i Vbc_i
(46) their moments
    Wbc_i[1:3] = Θc_i wc'_i + wc_i × Θc_i wc_i
(47) their forces
    Wbc_i[4:6] = m_i (vc'_i + wc_i × vc_i)

# One body, hybrid
(48, before) hybrid twist of the centre of mass [text]
    Vhc_i = Ad(Rc_i) Vbc_i
    ! Vhc_i = Ad(Rc_i)^-1 Vbc_i | Ad_R leads from body axes to inertial ones, not its inverse
(48) hybrid inertia at the centre of mass
    Mhc_i = Ad(Rc_i) Mbc_i Ad(Rc_i)^T = [Rc_i Θc_i Rc_i^T, 0; 0, m_i eye(3)]
(49) hybrid Newton–Euler equations at the centre of mass
    Whc_i = Phc'_i = (Ad(Rc_i) Mbc_i Ad(Rc_i)^T Vhc_i)' = Mhc_i Vhc'_i + ad(ωc_i, 0) Mhc_i ang(Vhc_i)
(50) their moments
    Whc_i[1:3] = Θk_i ωc'_i + ωc_i × Θk_i ωc_i
(51) their forces
    Whc_i[4:6] = m_i rc''_i
    ! Whc_i[4:6] = m_i rc'_i | m r̈, not m ṙ
(52) hybrid inertia
    Mh_i = Ad(dh_i)^-1^T Mhc_i Ad(dh_i)^-1 = [Θk_i - m_i (~dh_i)^2, m_i ~dh_i; -m_i ~dh_i, m_i eye(3)]
(53) hybrid momentum balance
    Wh_i = Ph'_i - ad(0, r'_i)^T Ph_i
    ! Wh_i = Ph'_i | ad_ṙᵀ Π is missing: the origin moves, so that ṙ × p is lost
(54, before) rate of the shift to the centre of mass [text]
    -ad(0, dh'_i) = ad(ω_i, 0) Ad(dh_i)^-1 - Ad(dh_i)^-1 ad(ω_i, 0)
    ! -ad(0, dh'_i) = Ad(dh_i)^-1 ad(ω_i, 0) - ad(ω_i, 0) Ad(dh_i)^-1 | the difference has the other sign
(54) hybrid Newton–Euler equations
    Wh_i = Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i)
(55) their moments
    Wh_i[1:3] = Θh_i ω'_i + ω_i × Θh_i ω_i + m_i dh_i × r''_i
(56) their forces; the force is the spatial one
    Wh_i[4:6] = m_i (r''_i + (~ω'_i + (~ω_i)^2) dh_i)
    Wh_i[4:6] = Ws_i[4:6]

# One body, mixed
(57, before) acceleration of the origin by the body-fixed twist [text]
    R_i^T r''_i = vb'_i + wb_i × vb_i
    ! r''_i = vb'_i + wb_i × vb_i | Rᵀ r̈ in body axes, not r̈
(57) mixed Newton–Euler equations: moments
    Wb_i[1:3] = Θ_i wm'_i + wm_i × Θ_i wm_i + m_i d_i × R_i^T um'_i
(58) mixed Newton–Euler equations: forces
    Wh_i[4:6] = m_i (um'_i + R_i (~wm'_i + (~wm_i)^2) d_i)
(59) mixed Newton–Euler equations at the centre of mass
    [Wbc_i[1:3]; Whc_i[4:6]] = [Θc_i w' + w × Θc_i w; m_i Vmc'_i[4:6]] where w := Vmc_i[1:3]

# One body, moving frames
(60) momentum balance seen from a moving frame
    W_iff = Ad(C_f)^T Ps'_i
(61) Newton–Euler equations seen from a moving frame
    W_iff = Mj_if (Vj'_if + ad(Vb_f) Vj_if) - ad(Vj_if)^T Mj_if Vj_if
(62) inertia seen from a moving frame
    I_iff = Ad(C_f)^T Ms_i Ad(C_f)
(63) momentum balance in the axes of another moving frame
    W_ifg = Ad(R_fg)^T Ad(C_f)^T Ps'_i
(64) Newton–Euler equations in the axes of another moving frame
    W_ifg = Mk_ifg (Vk'_ifg + (ad(Ad(R_fg)^T Vb_f) + ad(R_g^T (ω_g - ω_f), 0)) Vk_ifg) - ad(Vk_ifg)^T Mk_ifg Vk_ifg
    ! W_ifg = Mk_ifg (Vk'_ifg + (ad(Ad(R_fg)^T Vb_f) + ad(R_g^T ω_g, 0)) Vk_ifg) - ad(Vk_ifg)^T Mk_ifg Vk_ifg
        | the spin is that of frame k relative to frame j, not its own
(65) inertia in the axes of another moving frame
    I_ifg = Ad(R_fg)^T Mj_if Ad(R_fg)
    ! I_ifg = Ad(R_gf)^T Mj_if Ad(R_gf) | R_{j,k} = R_jᵀ R_k here as in (63), not R_{k,j}

# Recursions
(66) body-fixed acceleration from the parent's, three forms
    Vb'_i = Ad(C_ip) Vb'_p + X_i q''_i + [Ad(C_ip) Vb_p, X_i q'_i]
        = Ad(C_ip) Vb'_p + X_i q''_i + [Ad(C_ip) Vb_p, Vb_i]
        = Ad(C_ip) Vb'_p + X_i q''_i + [Vb_i, X_i q'_i]
(Remark 3) joint acceleration from twists [text]
    q''_i = X_i^T (Vb'_i - Ad(C_ip) Vb'_p + [Vb_i, Ad(C_ip) Vb_p]) / (X_i^T X_i)
    ! q''_i = X_i^T (Vb_i - Ad(C_ip) Vb'_p + [Vb_i, Ad(C_ip) Vb_p]) / (X_i^T X_i) | V̇_i, not V_i
(67) body-fixed twists and accelerations, outwards
    Vb_i = Ad(C_ip) Vb_p + X_i q'_i
    Vb'_i = Ad(C_ip) Vb'_p - q'_i ad(X_i) Vb_i + X_i q''_i
(68) body-fixed inverse dynamics
    Q_i = X_i^T W_i where W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i + Σ_c Ad(C_ci)^T W_c
    Qg_i = X_i^T W_i where W_i := Mb_i Ab_i - ad(Vb_i)^T Mb_i Vb_i + Σ_c Ad(C_ci)^T W_c
    ! Q_i = X_i^T W_i where W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i + Wappb_i + Σ_c Ad(C_ci)^T W_c
        | an applied wrench is what the joints need not give: −W, as in (78)
(68, range) body-fixed inverse dynamics
    Q_i = X_i^T W_i where W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i + Σ_c Ad(C_ci)^T W_c
    ! Q_i = X_i^T W_i where W_i := {i∈inner} (Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i) + Σ_c Ad(C_ci)^T W_c
        | the sweep begins with the last body, i = n, not with i = n − 1
    ! Qg_i = X_i^T W_i where W_i := {i∈inner} (Mb_i Ab_i - ad(Vb_i)^T Mb_i Vb_i) + Σ_c Ad(C_ci)^T W_c
        | the sweep begins with the last body, i = n, not with i = n − 1
(68, program) what the program of inverse dynamics in link axes computes [own] @ sweeps, others
    Wpb_i = Mb_i Ab_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i + Σ_c Ad(C_ci)^T Wpb_c
    τb_i = X_i^T Wpb_i
(69) spatial twist from the parent's
    Vs_i = Vs_p + Js_i q'_i
(70) spatial acceleration from the parent's, in two forms
    Vs'_i = Vs'_p + Js_i q''_i + [Vs_i, Js_i q'_i] = Vs'_p + Js_i q''_i + [Vs_p, Vs_i]
(71) spatial twists and accelerations, outwards
    Vs_i = Vs_p + Js_i q'_i
    Vs'_i = Vs'_p + Js_i q''_i + [Vs_p, Vs_i]
(71, program) what the program of spatial inverse dynamics computes, outwards [own] @ sweeps, others
    Vp_i = Vp_p + Jp_i q'_i = Vs_i
    Ap_i = Ap_p + Jp_i q''_i + [Vp_p, Vp_i] = As_i
(72) spatial inverse dynamics
    Q_i = Js_i^T W_i where W_i := Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i - Wapps_i + Σ_c W_c
    Qg_i = Js_i^T W_i where W_i := Ms_i As_i - ad(Vs_i)^T Ms_i Vs_i + Σ_c W_c
    ! Q_i = Js_i^T W_i where W_i := Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i + Wapps_i + Σ_c W_c
        | an applied wrench is what the joints need not give: −W, as in (78)
(72, range) spatial inverse dynamics
    Q_i = Js_i^T W_i where W_i := Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i - Wapps_i + Σ_c W_c
    ! Q_i = Js_i^T W_i where W_i := {i∈inner} (Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i - Wapps_i) + Σ_c W_c
        | the sweep begins with the last body, i = n, not with i = n − 1
    ! Qg_i = Js_i^T W_i where W_i := {i∈inner} (Ms_i As_i - ad(Vs_i)^T Ms_i Vs_i) + Σ_c W_c
        | the sweep begins with the last body, i = n, not with i = n − 1
(72, program) what the program of spatial inverse dynamics computes, inwards [own] @ sweeps, others
    Wps_i = Ms_i Ap_i - ad(Vp_i)^T Ms_i Vp_i - Wapps_i + Σ_c Wps_c
    τs_i = Jp_i^T Wps_i
(73) hybrid acceleration from the parent's
    Vh'_i = Ad(r_ip) Vh'_p + X0_i q''_i + ad(0, r'_ip) Vh_p + ad(ω_i, 0) X0_i q'_i
(74) the second form of (73)
    Vh'_i = Ad(r_ip) Vh'_p + X0_i q''_i + ad(0, r'_p) Vh_p - ad(0, r'_i) Vh_i + ad(Vh_i) X0_i q'_i
(75) the third form of (73)
    Vh'_i = Ad(r_ip) Vh'_p + X0_i q''_i + ad(0, r'_ip) Vh_i + ad(Vh_i) X0_i q'_i - ad(0, r'_p) X0_i q'_i
(76) hybrid twists and accelerations, outwards
    Vh_i = Ad(r_ip) Vh_p + X0_i q'_i
    Vh'_i = Ad(r_ip) Vh'_p + ad(0, r'_ip) Vh_p + ad(ω_i, 0) X0_i q'_i + X0_i q''_i
(76b) instantaneous joint screw
    X0_i = Ad(-r_i) Ad(C_i A_i^-1) Y_i
    ! X0_i = Ad(-r_i) Y_i | Ad_{−r} J_iˢ; Y_i stands for J_iˢ only where C A⁻¹ leaves it alone, as at q = 0
(77) hybrid inverse dynamics
    Q_i = X0_i^T W_i where W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i + Σ_c Ad(r_ci)^T W_c
    Qg_i = X0_i^T W_i where W_i := Mh_i Ah_i + ad(ω_i, 0) Mh_i ang(Vh_i) + Σ_c Ad(r_ci)^T W_c
    ! Q_i = X0_i^T W_i where W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) + Wapph_i + Σ_c Ad(r_ci)^T W_c
        | an applied wrench is what the joints need not give: −W, as in (78)
(77, range) hybrid inverse dynamics
    Q_i = X0_i^T W_i where W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i + Σ_c Ad(r_ci)^T W_c
    ! Q_i = X0_i^T W_i where W_i := {i∈inner} (Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i)
        + Σ_c Ad(r_ci)^T W_c | the sweep begins with the last body, i = n, not with i = n − 1
    ! Qg_i = X0_i^T W_i where W_i := {i∈inner} (Mh_i Ah_i + ad(ω_i, 0) Mh_i ang(Vh_i)) + Σ_c Ad(r_ci)^T W_c
        | the sweep begins with the last body, i = n, not with i = n − 1
(77, program) what the program of hybrid inverse dynamics computes [own] @ sweeps, others
    Wph_i = Mh_i Ah_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i + Σ_c Ad(r_ci)^T Wph_c
    τh_i = X0_i^T Wph_i
(mixed) mixed inverse dynamics, by (57) and (58), as the program computes it [own] @ sweeps, others
    Wpm_i[1:3] = Θ_i wm'_i + wm_i × Θ_i wm_i + m_i d_i × R_i^T (um'_i - γ[4:6]) - Wappm_i[1:3]
        + Σ_c R_i^T (R_c Wpm_c[1:3] + r_ic × Wpm_c[4:6])
    Wpm_i[4:6] = m_i (um'_i - γ[4:6] + R_i (~wm'_i + (~wm_i)^2) d_i) - Wappm_i[4:6] + Σ_c Wpm_c[4:6]
    τm_i = X_i[1:3]^T Wpm_i[1:3] + X_i[4:6]^T R_i^T Wpm_i[4:6]
(Sect. 4.4) one reference frame for all bodies [text] @ one slide, one pin
    C_i = Co_i Ao_i^-1
    X_i = Ad(Ao_i) Xo_i
    Mb_i = Ad(Ao_i)^-1^T Mo_i Ad(Ao_i)^-1
    Qo_i = X_i^T W_i where W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i + Σ_c Ad(C_ci)^T W_c
    Qo_i = Js_i^T W_i where W_i := Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i - Wapps_i + Σ_c W_c
    Qo_i = X0_i^T W_i where W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i + Σ_c Ad(r_ci)^T W_c

# Closed form
(78) Newton–Euler equations of a body in a tree: its joints' wrenches balance it
    Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i - (Lb_i - Σ_c Ad(C_ci)^T Lb_c) = 0
    Q_i = X_i^T Lb_i
(79) Euler–Jourdain equations, in three representations
    Q_l = Σ_{i∈beyond(l)} Jb_il^T (Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i - Wappb_i)
        = Σ_{i∈beyond(l)} Js_l^T (Ms_i Vs'_i - ad(Vs_i)^T Ms_i Vs_i - Wapps_i)
        = Σ_{i∈beyond(l)} Jh_il^T (Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) - Wapph_i)
(80) motion equations by spatial momenta
    Ps_i = Ms_i Σ_j Js_j q'_j
    Js_i q'_i = U_i - U_p where U_i := Ms_i^-1 Ps_i, U_0 := zeros(6, 1)
    Q_l = Σ_{i∈beyond(l)} Js_l^T (Ps'_i - Wapps_i)
(81) Lagrange's equations
    Q_l + Σ_{i∈beyond(l)} Jb_il^T Wappb_i = (Σ_m K_lm q'_m)' - Σ_mn ∂_l(K_mn) q'_m q'_n / 2
        = Σ_m K_lm q''_m + Σ_mn ∂_n(K_lm) q'_n q'_m - Σ_mn ∂_l(K_mn) q'_m q'_n / 2
        = Σ_m M_lm q''_m + Σ_mn Mx_lmn q'_n q'_m - Σ_mn Mx_mnl q'_m q'_n / 2
(82) mass matrix Jᵀ M J, and by 4×4 matrices
    M_lm = Σ_{i∈beyond(l)} {i∈beyond(m)} Jb_il^T Mb_i Jb_im
        = Σ_{i∈beyond(l)} {i∈beyond(m)} tr(∂_l(C_i) G_i ∂_m(C_i)^T)
(83) slope of the kinetic energy
    Σ_mn Mx_mnl q'_m q'_n / 2 = ((Ma Aa ba Xa)^T Ja qa')[l]
(84) Coriolis matrix
    Ca = -Ja^T ((Ma Aa aa)^T + Ma Aa aa) Ja - (Ma Aa ba Xa)^T Ja
        = -(aa Ja + ba Xa)^T Aa^T Ma Ja - Ja^T Ma Aa aa Ja
    Aa (aa Ja + ba Xa) = ba Ja
    Csk qa' = Cor qa'
    Cch qa' = Cor qa'
(85) the Coriolis matrix simplified
    -Ja^T (Ma Aa aa + ba^T Ma) Ja qa' = Cor qa'
(85, skew) Coriolis matrices for which Ṁ − 2C is skew [text]
    qa'^T (dM - 2 Ca) qa' = 0
    dM - 2 Csk = -(dM - 2 Csk)^T
    dM - 2 Cch = -(dM - 2 Cch)^T
    ! dM - 2 Ca = -(dM - 2 Ca)^T | not claimed of (85), but often assumed: only q̇ᵀ (Ṁ − 2C) q̇ vanishes with it
(86) Lagrange's equations in components, by Christoffel's symbols
    Q_l + Σ_{i∈beyond(l)} Jb_il^T Wappb_i = Σ_m M_lm q''_m + Σ_mn Γ_lmn q'_m q'_n
        where Γ_lmn := (Mx_lnm + Mx_lmn - Mx_mnl) / 2
    mat_lm(Σ_n Γ_lmn q'_n) = -Ja^T (Ma Aa aa + (ba^T Ma + Pa - Ma ba) / 2) Ja
(87) Christoffel's symbols by screws, for all i, j, k
    Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} (Jb_in^T Mb_i [Jb_il, Jb_im] + Jb_im^T Mb_i [Jb_il, Jb_in]
        + Jb_il^T Mb_i ({m<n} [Jb_im, Jb_in] + {n<m} [Jb_in, Jb_im])) / 2
    ! Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} (Jb_in^T Mb_i [Jb_il, Jb_im] + Jb_im^T Mb_i [Jb_il, Jb_in]
        + Jb_il^T Mb_i [Jb_il, Jb_im]) / 2 for l<m≤n | r and s are the later and the earlier of j and k, not of i and j
    ! Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} (Jb_in^T Mb_i [Jb_il, Jb_im] + Jb_im^T Mb_i [Jb_il, Jb_in]
        + Jb_il^T Mb_i [Jb_im, Jb_il]) / 2 for m≤l<n | r and s are the later and the earlier of j and k, not of i and j
(88) Christoffel's symbols by second moments
    Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} tr(hat(Jb_il) G_i ({m≤n} hat(Jb_im) hat(Jb_in)
        + {n<m} hat(Jb_in) hat(Jb_im))^T)
    ! Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} Jb_im^T N_i ad(ang(Jb_in)) Jb_il / 2 for l<m≤n
        where N_i := Ad(d_i)^-1^T [tr(T_i) / 2 eye(3) - T_i, 0; 0, m_i eye(3)] Ad(d_i)^-1,
        T_i := (Ad(d_i)^T Mb_i Ad(d_i))[1:3,1:3]
        | tr(J_i^ Σ (J_s^ J_r^)ᵀ); the printed form has another factor and loses m v_i·(ω_s × v_r)
    ! Γ_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} Jb_im^T N_i ad(ang(Jb_in)) Jb_il / 2 for m≤l<n
        where N_i := Ad(d_i)^-1^T [tr(T_i) / 2 eye(3) - T_i, 0; 0, m_i eye(3)] Ad(d_i)^-1,
        T_i := (Ad(d_i)^T Mb_i Ad(d_i))[1:3,1:3]
        | tr(J_i^ Σ (J_s^ J_r^)ᵀ); the printed form has another factor and loses m v_i·(ω_s × v_r)

# Derivatives of inverse dynamics
(Sect. 6.1) slopes of the mass matrix [own]
    Mx_lmn = Σ_{i∈beyond(l)} {i∈beyond(m), i∈beyond(n)} ({l<n} [Jb_il, Jb_in]^T Mb_i Jb_im
        + {m<n} Jb_il^T Mb_i [Jb_im, Jb_in])
(Sect. 6.1, tangent) slopes of Q by one sweep each way [own]
    Sq_lm = X_l^T N_l where
        P_i := Ad(C_ip) P_p - {i=m} [X_i, Ad(C_ip) Vb_p], P_0 := zeros(6, 1),
        D_i := Ad(C_ip) D_p - {i=m} [X_i, Ad(C_ip) Ab_p] - q'_i [X_i, P_i], D_0 := zeros(6, 1),
        N_i := Mb_i D_i - ad(P_i)^T Mb_i Vb_i - ad(Vb_i)^T Mb_i P_i + Σ_c Ad(C_ci)^T (N_c - {c=m} ad(X_c)^T Wg_c)
    Su_lm = X_l^T N_l where
        P_i := Ad(C_ip) P_p + {i=m} X_i, P_0 := zeros(6, 1),
        D_i := Ad(C_ip) D_p - {i=m} [X_i, Vb_i] - q'_i [X_i, P_i], D_0 := zeros(6, 1),
        N_i := Mb_i D_i - ad(P_i)^T Mb_i Vb_i - ad(Vb_i)^T Mb_i P_i + Σ_c Ad(C_ci)^T N_c
    Sa_lm = X_l^T N_l where
        D_i := Ad(C_ip) D_p + {i=m} X_i, D_0 := zeros(6, 1), N_i := Mb_i D_i + Σ_c Ad(C_ci)^T N_c
(Sect. 6.1, closed) slopes of Q by sums over subtrees [own]
    Sq_lm = Js_l^T (Mt_m J2_m + Tt_m J1_m - ad(Js_m)^T Wgs_m) for l≤m
    Sq_lm = Js_l^T (Mt_l J2_m + Tt_l J1_m) for m<l
    Su_lm = Js_l^T (2 Mt_m J1_m + Tt_m Js_m) for l≤m
    Su_lm = Js_l^T (2 Mt_l J1_m + Tt_l Js_m) for m<l
    Sa_lm = Js_l^T Mt_m Js_m for l≤m
    Sa_lm = Js_l^T Mt_l Js_m for m<l
    Sq_lm = 0 for m∈apart(l)
    Su_lm = 0 for m∈apart(l)
    Sa_lm = 0 for m∈apart(l)
(Sect. 6.2) slopes of poses and twists by geometry [own]
    Cv_e = hat(Gv) C_e
    Cv'_e = (hat(P) + hat(Vs_e) hat(Gv)) C_e where P := [Gv, Vs_e - Vs_1]
    Cv''_e = (hat(D) + hat(P) hat(Vs_e) + hat(Vs_e) hat(P) + (hat(Vs'_e) + hat(Vs_e)^2) hat(Gv)) C_e
        where P := [Gv, Vs_e - Vs_1], D := [Gv, Vs'_e - Vs'_1] + [[Vs_1, Gv], Vs_e - Vs_1]
(Sect. 6.2, forces) slopes of Q by geometry [own]
    Sg_l = Js_l^T (Mt_l G2 + Tt_l G1) for 2≤l where G1 := [Vs_1, Gv], G2 := [As_1, Gv] + [Vs_1, G1]
    Sg_l = Js_l^T (Mt_2 G2 + Tt_2 G1 - ad(Gv)^T Wgs_2) for l<2
        where G1 := [Vs_1, Gv], G2 := [As_1, Gv] + [Vs_1, G1]
    Sg_l = 0 for l∈apart(2)
(Sect. 6.3, body-fixed) Q, Q̇ and Q̈ by a recursion [own]
    Vb''_i = Ad(C_ip) Vb''_p + X_i q'''_i - q''_i ad(X_i) Vb_i - 2 q'_i ad(X_i) Vb'_i - q'_i^2 ad(X_i)^2 Vb_i
    Vb'''_i = Ad(C_ip) Vb'''_p + X_i q''''_i - q'''_i ad(X_i) Vb_i - 3 q''_i ad(X_i) Vb'_i - 3 q'_i ad(X_i) Vb''_i
        - 3 q'_i q''_i ad(X_i)^2 Vb_i - 3 q'_i^2 ad(X_i)^2 Vb'_i - q'_i^3 ad(X_i)^3 Vb_i
    F_l = X_l^T W_l where W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i + Σ_c Ad(C_ci)^T W_c
    F'_l = X_l^T D_l where
        W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i + Σ_c Ad(C_ci)^T W_c,
        D_i := Mb_i Vb''_i - ad(Vb'_i)^T Mb_i Vb_i - ad(Vb_i)^T Mb_i Vb'_i + Σ_c Ad(C_ci)^T (D_c - q'_c ad(X_c)^T W_c)
    F''_l = X_l^T Z_l where
        W_i := Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb_i + Σ_c Ad(C_ci)^T W_c,
        D_i := Mb_i Vb''_i - ad(Vb'_i)^T Mb_i Vb_i - ad(Vb_i)^T Mb_i Vb'_i + Σ_c Ad(C_ci)^T (D_c - q'_c ad(X_c)^T W_c),
        Z_i := Mb_i Vb'''_i - ad(Vb''_i)^T Mb_i Vb_i - 2 ad(Vb'_i)^T Mb_i Vb'_i - ad(Vb_i)^T Mb_i Vb''_i
        + Σ_c Ad(C_ci)^T (Z_c - 2 q'_c ad(X_c)^T D_c - q''_c ad(X_c)^T W_c + q'_c^2 (ad(X_c)^T)^2 W_c)
(Sect. 6.3, spatial) Q, Q̇ and Q̈ by a recursion [own]
    Vs''_i = Vs''_p + Js_i q'''_i + 2 Js'_i q''_i + Js''_i q'_i
    Vs'''_i = Vs'''_p + Js_i q''''_i + 3 Js'_i q'''_i + 3 Js''_i q''_i + Js'''_i q'_i
    Js''_i = [Vs'_i, Js_i] + [Vs_i, Js'_i]
    Js'''_i = [Vs''_i, Js_i] + 2 [Vs'_i, Js'_i] + [Vs_i, Js''_i]
    Mr'_i = -ad(Vs_i)^T Mr_i - Mr_i ad(Vs_i)
    Mr''_i = -ad(Vs'_i)^T Mr_i - Mr_i ad(Vs'_i) - ad(Vs_i)^T Mr'_i - Mr'_i ad(Vs_i)
    Mr'''_i = -ad(Vs''_i)^T Mr_i - Mr_i ad(Vs''_i) - 2 ad(Vs'_i)^T Mr'_i - 2 Mr'_i ad(Vs'_i)
        - ad(Vs_i)^T Mr''_i - Mr''_i ad(Vs_i)
    F_l = Js_l^T W_l where W_i := Mr_i Vs'_i + Mr'_i Vs_i + Σ_c W_c
    F'_l = Js'_l^T W_l + Js_l^T D_l where
        W_i := Mr_i Vs'_i + Mr'_i Vs_i + Σ_c W_c, D_i := Mr_i Vs''_i + 2 Mr'_i Vs'_i + Mr''_i Vs_i + Σ_c D_c
    F''_l = Js''_l^T W_l + 2 Js'_l^T D_l + Js_l^T Z_l where
        W_i := Mr_i Vs'_i + Mr'_i Vs_i + Σ_c W_c, D_i := Mr_i Vs''_i + 2 Mr'_i Vs'_i + Mr''_i Vs_i + Σ_c D_c,
        Z_i := Mr_i Vs'''_i + 3 Mr'_i Vs''_i + 3 Mr''_i Vs'_i + Mr'''_i Vs_i + Σ_c Z_c
(Sect. 6.3, hybrid) Q, Q̇ and Q̈ by a recursion [own]
    Vh''_i = Ad(r_ip) Vh''_p + 2 ad(0, r'_ip) Vh'_p + ad(0, r''_ip) Vh_p + X0_i q'''_i + 2 X0'_i q''_i + X0''_i q'_i
    Vh'''_i = Ad(r_ip) Vh'''_p + 3 ad(0, r'_ip) Vh''_p + 3 ad(0, r''_ip) Vh'_p + ad(0, r'''_ip) Vh_p
        + X0_i q''''_i + 3 X0'_i q'''_i + 3 X0''_i q''_i + X0'''_i q'_i
    X0'_i = ad(ω_i, 0) X0_i
    X0''_i = ad(ω'_i, 0) X0_i + ad(ω_i, 0) X0'_i
    X0'''_i = ad(ω''_i, 0) X0_i + 2 ad(ω'_i, 0) X0'_i + ad(ω_i, 0) X0''_i
    F_l = X0_l^T W_l where W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) + Σ_c Ad(r_ci)^T W_c
    F'_l = X0'_l^T W_l + X0_l^T D_l where
        N_i := ad(ω_i, 0) Mh_i - Mh_i ad(ω_i, 0),
        W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) + Σ_c Ad(r_ci)^T W_c,
        D_i := Mh_i Vh''_i + N_i Vh'_i + ad(ω'_i, 0) Mh_i ang(Vh_i) + ad(ω_i, 0) (N_i ang(Vh_i) + Mh_i ang(Vh'_i))
        + Σ_c (Ad(r_ci)^T D_c + ad(0, r'_ci)^T W_c)
    F''_l = X0''_l^T W_l + 2 X0'_l^T D_l + X0_l^T Z_l where
        N_i := ad(ω_i, 0) Mh_i - Mh_i ad(ω_i, 0),
        O_i := ad(ω'_i, 0) Mh_i - Mh_i ad(ω'_i, 0) + ad(ω_i, 0) N_i - N_i ad(ω_i, 0),
        W_i := Mh_i Vh'_i + ad(ω_i, 0) Mh_i ang(Vh_i) + Σ_c Ad(r_ci)^T W_c,
        D_i := Mh_i Vh''_i + N_i Vh'_i + ad(ω'_i, 0) Mh_i ang(Vh_i) + ad(ω_i, 0) (N_i ang(Vh_i) + Mh_i ang(Vh'_i))
        + Σ_c (Ad(r_ci)^T D_c + ad(0, r'_ci)^T W_c),
        Z_i := Mh_i Vh'''_i + 2 N_i Vh''_i + O_i Vh'_i + ad(ω''_i, 0) Mh_i ang(Vh_i)
        + 2 ad(ω'_i, 0) (N_i ang(Vh_i) + Mh_i ang(Vh'_i))
        + ad(ω_i, 0) (O_i ang(Vh_i) + 2 N_i ang(Vh'_i) + Mh_i ang(Vh''_i))
        + Σ_c (Ad(r_ci)^T Z_c + 2 ad(0, r'_ci)^T D_c + ad(0, r''_ci)^T W_c)

# Geometric integration
(89) the rate of a pose by twists
    C'_i = C_i hat(Vb_i) = hat(Vs_i) C_i
(90) twists by the rate of an increment @ increments, more increments
    (C0 EX_t)^-1 (C0 EX_t)' = hat((Pe_t - Po_t) Xn'_t)
    (EX_t C0)' (EX_t C0)^-1 = hat((Pe_t + Po_t) Xn'_t)
    (C0 EX_t)' (C0 EX_t)^-1 = hat(Ad(C0) (Pe_t + Po_t) Xn'_t)
    ! (C0 EX_t)' (C0 EX_t)^-1 = hat((Pe_t + Po_t) Xn'_t) | Vˢ = dexp_X Ẋ belongs to exp(X) C₀; the printed increment C₀⁻¹ C has Ad_{C₀} before it

# Appendix, which our copy lacks
(91) the pose C = [[R, r], [0, 1]] [defines]
(92) the relative pose, with joint frames and without [absent]
    C_{p(i),i} = B_i S_i EZ_i S_i^-1 = B_i E_i
(93) poses from the parent's [absent]
    C_i = C_p B_i E_i
(94) product of exponentials [absent]
    C_i = P_i A_i where P_i := P_p EY_i, P_0 := eye(4)
(95) X, Y and A: Y = Ad_A X [absent]
    A_i B_i^-1 C_{p(i),i} A_i^-1 = EY_i
(96) Vᵇ^ = C⁻¹ Ċ [absent]
    C_i^-1 C'_i = hat(Vb_i)
(97) Vˢ^ = Ċ C⁻¹ [absent]
    C'_i C_i^-1 = hat(Vs_i)
(98) twists from one representation to another [absent]
    Vs_i = Ad(C_i) Vb_i
(99) Vʰ = Ad_R Vᵇ [absent]
    Vh_i = Ad(R_i) Vb_i
(100) Vʰ = Ad_{−r} Vˢ [absent]
    Vh_i = Ad(-r_i) Vs_i
(101) Vᵐ = diag(Rᵀ, 1) Vʰ [absent]
    Vm_i = [R_i^T, 0; 0, eye(3)] Vh_i = [eye(3), 0; 0, R_i] Vb_i
(102) twists by Jacobians [absent]
    Vb_i = Σ_j Jb_ij q'_j
(103) Vˢ = Σ Jˢ q̇ [absent]
    Vs_i = Σ_j Js_j q'_j
(104) Jᵇ = Ad X, by X and by Y [absent]
    Ub_ij = Ad(C_ij) X_j = Ad(C_ij A_j^-1) Y_j
(105) Jˢ = Ad X, by X and by Y [absent]
    Us_ij = Ad(C_j) X_j = Ad(C_j A_j^-1) Y_j
(106) Jʰ = Ad_r ⁰X [absent]
    Uh_ij = Ad(r_ij) Ad(R_j) X_j
(107) Jʰ = Ad_R Jᵇ [absent]
    Uh_ij = Ad(R_i) Jb_ij
(108) our copy lacks the appendix, and its text does not tell what (108) says [open]
(109) twists from the parent's [absent]
    Vb_i = Ad(C_ip) Vb_p + X_i q'_i
(110) Vˢ from the parent's [absent]
    Vs_i = Vs_p + Js_i q'_i
(111) Vʰ from the parent's [absent]
    Vh_i = Ad(r_ip) Vh_p + X0_i q'_i
(112) the system twist V = J q̇ [absent]
    Va = Ja qa'
(113) the system Jacobian A X [absent]
    Ja = Aa Xa
    Aa (1 - D) = 1 where D := mat_lm({p(l)=m} Ad(C_lm))
(114) screw products [absent]
    hat([Vs_l, Vs_m]) = hat(Vs_l) hat(Vs_m) - hat(Vs_m) hat(Vs_l)
(115) the screw product by its parts [absent]
    [Vs_l, Vs_m] = [w × u; w × z + v × u] where w := Vs_l[1:3], v := Vs_l[4:6], u := Vs_m[1:3], z := Vs_m[4:6]
(116) ad_X Y = [X, Y] [absent]
    hat(ad(Vs_l) Vs_m) = hat(Vs_l) hat(Vs_m) - hat(Vs_m) hat(Vs_l)
(117) Jacobi's identity [absent]
    -[Vs_l, [Vs_m, Vs_n]] = [Vs_m, [Vs_n, Vs_l]] + [Vs_n, [Vs_l, Vs_m]]
(118) Ad of a pose, and of a product [absent]
    hat(Ad(C_n) Vs_l) = C_n hat(Vs_l) C_n^-1
    Ad(C_n) [Vs_l, Vs_m] = [Ad(C_n) Vs_l, Ad(C_n) Vs_m]
(119) angular and linear part of a twist [absent]
    Vs_l = ang(Vs_l) + lin(Vs_l)
