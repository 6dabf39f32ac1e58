"""The letters of the linear method with their sources, and what its kernels ask of links."""

from __future__ import annotations

from ...language.letters import letters
from ...mechanics.letters import FACTS, LETTERS, MOVED, OF_PARENT

REST = "own: slope of V at rest"
STIFF = "own: Hessian of V at rest"
LOADED = "own: −F · (½ θ × r + ½ θ × (θ × c)) of a force F at c, differentiated twice"
LAW = "own: −∂τ/∂χ at rest, and −s ∂τ/∂χ̇"
FREQUENCY = "own: ω² = −s²"
SPUN = "own: W J_x x̂ of a body that spins about its x axis by W"
HINGE = "own: ξ = ξ′ + H χ + ½ [ξ′, H χ] + … put into V"
ELIMINATED = "own: Hᵀ λ = τ at the hinge, χ eliminated"
PIVOT = "own: L D Lᵀ of D, freedom by freedom"
CUT = "own: ξ_b = ξ_a′ + H χ + ½ [ξ_a′, H χ] at a cut hinge, times its wrench λ_c"
TIED = "own: forces between points as springs c between displacements, column by column"
LINED = "own: a distance grows along the way from one point to the other"
COUNT = "Sylvester, Haynsworth: negative pivots are eigenvalues below ω²"
SIZE = "own: what D would be made of if nothing in it cancelled"
FOUND = "own: back-substitution, χ = k − G ξ′"
RESULT = "own: at the centre of mass, in inertial axes"

WAVES = "own: (u, λ)′ = G (u, λ) along a beam; Timoshenko's, with GJ, EA, tension and foundation"
RELAXED = "own: E (1 + η s + i η_l), after Kelvin and Voigt, and with a loss factor"
WHIRL = "own: v ± i w with θ_z ∓ i θ_y, ρI s² ∓ i W ρJ s in the place of ρI s²"
SERIES = "own: exp(G l) by Horner's rule, of G⁴ = s G² + t"
TAYLOR = "own: T′ = (G + G₁ x + G₂ x²) T, power by power"
RICCATI = "Riccati paper (31) of a cell: λ = Z u, u_O = A u + B λ, λ_O = C u + D λ"
BORNE = "own: balance of the cell at rest, straight as it is without loads"
HOLDS = "own: H and D of a hinge to the ground, in axes of the cell"
CONGRUENT = "own: congruent to the stiffness at I with O held"
COUNTED = "own: F, and so little more that no pivot is zero"
ENERGY = "own: derivative along ω² of the wrenches on a cell whose ends are held"

LINEAR = LETTERS | letters(f"""
    omega2 | ν   | 1       | {FREQUENCY} | square of the circular frequency, ω², 1/s²
    s      | s   | 1       | | complex frequency of e^(s t), 1/s
    hW     | h_W | d       | {SPUN} | angular momentum of a body's own spin, in link axes
    ag     | g_l | d       | {REST} | gravity, in link axes, m/s²
    rest   | λ₀  | n       | {REST} | wrench that the hinge exerts on the link at rest
    er     | τ₀  | 1       | {REST} | what a hinge exerts along a freedom at rest
    ef     | τ₀  | 1       | | the same of a hinge that shares a coordinate
    restt  | λ₀t | n       | {MOVED} | λ₀ about the parent's origin and in its axes
    Kg     | K_g | n n sym | {LOADED} | stiffness that a body's weight gives it
    Kl     | K_l | n n even | {LOADED} | stiffness that a load at rest gives the body
    Z      | Z   | n n even | {STIFF} | dynamic stiffness of a link and all that hangs on it
    kap_   | κ   | f f even | {LAW} | stiffness of the hinge's law along its freedoms
    bend_  | b   | f f sym | {HINGE} | λ₀ · ∂ⱼHᵢ, its even part
    ZH     | Z_H | n f     | {HINGE} | wrench that unit displacements of the hinge demand
    B_     | B   | n f     | {HINGE} | the same, and what λ₀ adds in axes that are turned
    own_   | κ′  | f f even | {HINGE} | what the hinge itself adds to D
    Y_     | Y   | f n     | {HINGE} | forces along the freedoms per displacement of the parent
    D_     | D   | f f even | {HINGE} | dynamic stiffness along the freedoms of the hinge
    G_     | G   | f n     | {ELIMINATED} | what the parent's displacement takes from χ
    Q_     | Q   | f n     | {ELIMINATED} | G, were all matrices transposed
    Zh     | Zh  | n n even | {ELIMINATED} | Z behind the hinge, whose own freedoms are eliminated
    Zt     | Zt  | n n even | {MOVED} | Zh about the parent's origin and in its axes
    sa     | a   | 1       | {SIZE} | size of the inertia of a shift
    sb     | b   | 1       | {SIZE} | size of the inertia of a turn
    sf     | a_f | 1       | {SIZE} | size of the forces at rest
    sm     | a_m | 1       | {SIZE} | size of the moments at rest
    sat    | at  | 1       | {MOVED} | a, handed on to the parent
    sbt    | bt  | 1       | {MOVED} | b about the parent's origin
    sft    | a_ft | 1      | {MOVED} | a_f, handed on to the parent
    smt    | a_mt | 1      | {MOVED} | a_m about the parent's origin
    sl     | l_f | 1       | {SIZE} | size of a load's force
    sn     | l_m | 1       | {SIZE} | size of a load's moment
    sla   | l_a | 1       | {SIZE} | size of what a line to the ground resists a shift by
    slb   | l_b | 1       | {SIZE} | size of what it resists a turn by
    piv_   | d   | f       | {PIVOT} | pivots along the freedoms of the hinge
    size_  | δ   | f       | {SIZE} | sizes of the pivots
    nbefore | n₀ | 1       | | negative pivots of the links before
    lbefore | l₀ | 1       | | logarithm of the pivots of the links before
    cbefore | η₀ | 1       | | sum of sizes over pivots of the links before
    abefore | φ₀ | 1       | | angle of the pivots of the links before
    angle  | φ   | 1       | own | angle of the pivots of the links up to this one
    below  | n   | 1       | {COUNT} | negative pivots of the links up to this one
    logdet | l   | 1       | own | logarithm of the pivots of the links up to this one
    worst  | η   | 1       | own | sum of sizes over pivots of the links up to this one
    pivot  | ρ   | 1       | own: below the least of all | how small pivots are of their sizes
    n      | n   | d       | | direction of a line, from its first point to its second
    dist   | L₀  | 1       | | length of a line
    pull   | T   | 1       | | tension of a line
    steep  | T′  | 1       | {TIED} | rate of the tension per length
    ca     | c   | 1       | {TIED} | stiffness of what ties bodies, column by column
    Va     | V   | d 1     | {TIED} | directions that a line's ends move along
    Jl     | J_l | n 1     | {TIED} | how far a line's end moves along these per displacement
    S      | S   | 1 1     | | the places of a tie's columns among all
    cut    | l_c | 6       | | moment and force at a cut hinge at rest, as joint loads have them
    ra     | r_a | d       | | the parent's point, from the origin of its link
    lc     | λ_c | n       | {CUT} | wrench of a cut hinge on its child at rest, in its point's axes
    kap    | κ   | f f even | {LAW} | stiffness of a cut hinge's law along its freedoms
    kc     | κ_c | f f even | {CUT} | stiffness along the freedoms of a cut hinge
    kept   | a   | 1       | | 1 of a condition, 0 of one that follows from others
    cola   | J_a | n w     | {CUT} | how far a cut hinge opens per displacement of its parent's link
    colb   | J_b | n w     | {CUT} | how far a cut hinge opens per displacement of its child's link
    Ra     | R_a | n       | {CUT} | what a cut hinge at rest makes its parent's link demand
    Rb     | R_b | n       | {CUT} | what a cut hinge at rest makes its child's link demand
    Rc     | R   | n       | | what a cut hinge at rest makes the link demand
    xa     | x_a | d       | | origin of the parent's link, m
    xb     | x_b | d       | | origin of the child's link, m
    Aa     | A_a | d d rot | | direction cosines of the parent's link
    Ab     | A_b | d d rot | | direction cosines of the child's link
    rb     | r_b | d       | | the child's point, from the origin of its link
    Kb     | K_b | d d rot | | rotation from the axes of the child's point to its link's
    E_     | E   | n w     | {TIED} | how far all ties open per displacement of the link
    O_     | O   | n w     | {TIED} | the same where forces in ties are others, E, by what spins
    Ot_    | Ot  | n w     | {MOVED} | O behind the hinge, about the parent's origin and in its axes
    Po_    | P_o | f w     | {TIED} | how far ties open per displacement of the hinge, by O
    L_     | Λ   | w w even | {TIED} | how far they yield to unit forces in them
    turns  | r_σ | 1 w     | | displacement of the hinge per unit of each shared coordinate
    felt_  | e   | f w     | | which forces between hinges act along the hinge's freedoms
    told_  | e_o | f w     | | which of them the hinge's displacements cause
    Vs     | n   | d       | {LINED} | direction along which a sensor tells a distance
    cf     | c   | 1       | {LAW} | force along a hinge per displacement of another, with its sign
    so     | δ_σ | 1       | {SIZE} | size of the pivot of a hinge that shares a coordinate
    Et_    | Et  | n w     | {MOVED} | E behind the hinge, about the parent's origin and in its axes
    Lt_    | Λt  | w w even | {ELIMINATED} | Λ behind the hinge
    Pe_    | P   | f w     | {TIED} | how far ties open per displacement of the hinge
    N_     | N   | f w     | {ELIMINATED} | what forces in the ties take from χ
    ozt_   | o   | w       | {TIED} | how far harmonic loads open the ties
    y      | y   | w       | {TIED} | how far the ties open
    zeta_  | ζ   | w       | {TIED} | forces in the ties
    f      | f   | n       | | amplitude of force and couple, in inertial axes
    tau    | τ_a | 1       | | amplitude of a force applied along a freedom of the hinge
    pz     | p   | n       | {REST} | the part of λ that does not depend on ξ
    kz_    | k   | f       | {ELIMINATED} | displacements of the hinge if the parent stays
    pzh    | ph  | n       | {ELIMINATED} | p behind the hinge
    pzt    | pt  | n       | {MOVED} | ph about the parent's origin and in its axes
    xi     | ξ   | n       | {FOUND} | displacement of the link, in its axes
    xi0    | ξ′  | n       | {FOUND} | displacement of the parent at the link's origin
    eta    | χ   | 1       | {FOUND} | displacement along a freedom of the hinge
    rC_xi  | r′  | d       | {RESULT} | displacement of the centre of mass, in link axes
    disp   | u   | n       | {RESULT} | displacement of the centre of mass, and rotation
    mom    | P   | n       | {RESULT} | inertia times displacement of the body
    romom  | P_s | 1       | own | inertia of a rotor times its displacement
""")

CELLS = LINEAR | letters(f"""
    l      | l    | 1       | | length of a cell, m
    rhoA   | ρA   | 1       | | mass per length, kg/m
    EA     | EA   | 1       | | stiffness along the axis, N
    GJ     | GJ   | 1       | | stiffness against torsion, N m²
    rhoJ   | ρJ   | 1       | | polar moment of inertia per length, kg m
    EIy    | EI_y | 1       | | bending stiffness about the second axis, N m²
    EIz    | EI_z | 1       | | bending stiffness about the third axis, N m²
    gy     | g_y  | 1       | | shear angle per force along the third axis, 1/N
    gz     | g_z  | 1       | | shear angle per force along the second axis, 1/N
    rhoIy  | ρI_y | 1       | | moment of inertia per length about the second axis, kg m
    rhoIz  | ρI_z | 1       | | moment of inertia per length about the third axis, kg m
    T0     | N_s  | 1       | | tension at rest, N
    NI     | N_I  | 1       | {BORNE} | tension at I by what the cell bears at rest, N
    NS     | N_I′ | 1       | {BORNE} | how much more it is per length towards O, N/m
    wI     | w_I  | n       | {BORNE} | wrench that the cell exerts at I at rest, in its axes
    wO     | w_O  | n       | {BORNE} | wrench on the cell at O at rest, in its axes
    visc   | η    | 1       | | time by which stiffnesses grow per complex frequency, s
    loss   | η_l  | 1       | | loss factor
    soft   | e    | 1       | {RELAXED} | what stiffnesses are times
    W      | W    | 1       | | speed at which a section spins about the axis, rad/s
    kw     | k_w  | 1       | | stiffness of the foundation across the axis per length, N/m²
    Tuu    | A_c  | n n     | {SERIES} | u at O of a unit displacement at I
    Tul    | B_c  | n n     | {SERIES} | u at O of a unit wrench at I
    Tlu    | C_c  | n n     | {SERIES} | λ at O of a unit displacement at I
    Tll    | D_c  | n n     | {SERIES} | λ at O of a unit wrench at I
    d_Tuu  | A_c′ | n n     | | derivative of A_c along ω²
    d_Tul  | B_c′ | n n     | | derivative of B_c along ω²
    d_Tlu  | C_c′ | n n     | | derivative of C_c along ω²
    d_Tll  | D_c′ | n n     | | derivative of D_c along ω²
    rI     | r_I  | d       | | from the link's origin, at O, to the end I, in the link's axes, m
    xI     | x_I  | d       | own | position of the end I, m
    vI     | v_I  | d       | own | velocity of the end I, in the link's axes, m/s
    ZI     | Z_I  | n n even | {RICCATI} | dynamic stiffness of what hangs on I
    ZO     | Z_O  | n n even | {RICCATI} | dynamic stiffness at O, in axes of the cell
    Nr     | N̄    | n n     | {RICCATI} | N of all matrices transposed, and of a spin the other way
    N      | N    | n n     | {RICCATI} | u at O of unit displacements at I with what hangs there
    X      | X    | n n     | {RICCATI} | the transpose of Z_O
    Hg     | H_g  | n 1     | {HOLDS} | freedoms that the ground leaves to the end I
    Dg     | D_g  | n 1     | {HOLDS} | wrenches that it may exert there besides
    Hg0    | H₀   | n 1     | | freedoms that it leaves, in its axes
    Dg0    | D₀   | n 1     | | wrenches that it may exert, in its axes
    Ag     | A_g  | d d rot | | rotation from the axes of the ground's point to inertial ones
    kg     | κ_g  | 1 1 sym | | stiffness along these freedoms
    chi    | χ_g  | n       | {RICCATI} | freedoms of a held end, then wrenches of the ground
    yF     | y_F  | n 1     | {RICCATI} | wrench at I, by what is at O held, of unit freedoms
    pI     | p_I  | n       | {RICCATI} | wrench of what hangs on the end I, held
    pO     | p_O  | n       | {RICCATI} | the same at O
    uO     | y_O  | n       | {RICCATI} | displacement and turn at O, in axes of the cell
    uI     | y    | n       | {RICCATI} | displacement and turn at I, in axes of the cell
    xiI    | ξ_I  | n       | {RICCATI} | the same in axes of the link
    lamI   | λ    | n       | {RICCATI} | wrench at I, by what is at O on what is at I
    moved  | y′   | n       | {ENERGY} | what u at O changes by along ω², if all at I stays
    lamh   | λ_h  | n       | {ENERGY} | wrench at I that takes this back
    fe     | f_I  | n       | | amplitude of force and couple at the end I, in inertial axes
    dispI  | u_I  | n       | own | displacement and turn of the end I, in inertial axes
    momI   | P_e  | n       | {ENERGY} | inertia of the cell times displacement, at the end I
    EI_    | E_I  | n w     | {RICCATI} | how far all ties open per displacement of the end I
    EN_    | E_N  | n w     | {RICCATI} | the same per displacement of O
    ON_    | O_N  | n w     | {RICCATI} | the same of how far ties open
""")

# Of what a ground leaves free at an end: as many as there are, all of a free one.
CELLS |= letters(
    "\n".join(
        f"""F{n}  | F | {n} {n} even | {CONGRUENT} | stiffness at I with O held, congruent to it
            cpiv{n}  | d | {n} | {PIVOT} | pivots of F
            csize{n} | δ | {n} | {SIZE} | sizes of the pivots of F"""
        for n in range(1, 7)
    )
)

#: What a law may read of its line.
LINE = {"dist": LINEAR["dist"]}

ASKED = {
    **FACTS,
    "stiff": lambda tree, link: tree.stiff(link),
    "held": lambda tree, link: link.name in tree.tying,
    "width": lambda tree, _: tree.width,
    "carried": lambda tree, link: tree.carried(link),
    "shares": lambda tree, link: tree.shares(link),
    "applies": lambda tree, link: tree.applies(link),
    "fed": lambda tree, link: tree.feeds(link),
    "tied": lambda tree, link: tuple(tree.tied[k].width for k, _ in tree.pulled(link)),
    "gauges": lambda tree, link: tuple(tree.tied[k].gauge for k, _ in tree.pulled(link)),
    "springs": lambda tree, link: tree.springs(link),
    "cut_count": lambda tree, link: len(tree.cut_at(link)),
    "forced": lambda tree, _: tree.forced,
    "bent": lambda tree, link: tree.bent(link),
    "even": lambda tree, _: tree.even,
    "spins": lambda tree, link: tree.spins(link),
    "phased": lambda tree, _: tree.phased,
    "laden": lambda tree, _: tree.laden,
}

PARENTS = {**OF_PARENT, "xi": "xip"}

OF_CELLS = {
    **ASKED,
    "cell": lambda tree, link: tree.is_cell(link),
    "tied_far": lambda tree, link: tree.tied_far(link),
    "tied_near": lambda tree, link: tree.tied_near(link),
    "relaxed": lambda tree, link: tree.relaxed(link),
    "spun": lambda tree, link: tree.spun(link),
    "near": lambda tree, link: tree.near(link),
    "hangs": lambda tree, link: tree.hangs(link),
    "cut_near": lambda tree, link: tree.cut_near(link),
    "grounded": lambda tree, link: tree.holds(link),
    "turned": lambda tree, link: tree.turned(link),
    "backward": lambda tree, link: tree.reversed(link),
}
