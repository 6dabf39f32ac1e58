"""What the kernels of the divide-and-conquer methods may say and ask of a link, a joint, a node.

All vectors are in inertial axes, motions V and wrenches of a body at its centre of mass, linear
part first. X(r)ᵀ is the paper's shift S: it moves wrenches at the point at r to here. H and D are
constant in the axes B, which are those of the link, or of the parent at the hinge.
"""

from __future__ import annotations

from ...language.letters import letters
from ...mechanics.letters import FACTS, LETTERS
from ...mechanics.space import POINT
from ...mechanics.traced import Facts, tracing
from ...tree.cut_kernels import CONDITION

GEOMETRY = "own: arms in inertial axes"
COLUMNS = "divide-and-conquer paper (10), (14): D and H at the centre of mass"
LEAF = "divide-and-conquer paper (15), (16): ξ of a body"
BODY = "divide-and-conquer paper (12): M V = sum of all wrenches"
SPEED = "divide-and-conquer paper (23): V_child - V_parent = H u"
HUB = "articulated inertia of branches: Featherstone, Rigid Body Dynamics Algorithms (7.21)"
REFINED = "own: iterative refinement of motions and multipliers"
GATHERED = "divide-and-conquer paper (26): what the multipliers of a merge yield to"
MERGE = "divide-and-conquer paper (34)-(36), along D"
MULTIPLIER = "divide-and-conquer paper (26), (29)"
REACH = "own: Ξ of the bodies alone, before any merge, along a joint's own constraints"
LOADS = "divide-and-conquer paper (58), (70)-(76): loads outboard of a joint"
RATE = "divide-and-conquer paper (77), with the term of every cut side"
MOMENTUM = "divide-and-conquer paper (9), (63)"
BIAS = "own: the rate of V_child - V_parent = H u, without accelerations"

#: What both steps of the methods say of bodies and hinges.
SHARED = LETTERS | letters(f"""
    ce    | c    | d       | {GEOMETRY} | from the link's origin to its centre of mass
    ar    | ℓ    | d       | {GEOMETRY} | from the parent's origin to the link's
    Bc    | B    | d d rot | {GEOMETRY} | axes of the parent at the hinge
    B     | B    | d d rot | | axes in which the hinge's H and D are constant
    im    | m⁻¹  | 1       | | inverse mass
    JCi   | J_C⁻¹ | s s sym | | inverse inertia about the centre of mass, in link axes
    Ji    | J⁻¹  | s s sym | {LEAF} | inverse inertia about the centre of mass, in inertial axes
    D     | D    | n w     | | directions that the hinge constrains
    H     | H    | n f     | | directions that the hinge allows
    Hp    | Ĥ    | n f     | | H (Hᵀ H)⁻¹
    Ws_   | W    | n w     | {COLUMNS} | directions D of the hinge, at its link's centre of mass
    Wp_   | Wₚ   | n w     | {COLUMNS} | minus the same directions, at the parent's centre of mass
    Zs_   | Z    | n f     | {COLUMNS} | directions Ĥ of the hinge, at its link's centre of mass
    Zp_   | Zₚ   | n f     | {COLUMNS} | minus the same directions, at the parent's centre of mass
    W     | W    | n w     | | directions that a joint constrains, at a body's centre of mass
    Z     | Z    | n f     | | directions Ĥ of a hinge, at a body's centre of mass
    g_    | γ    | w       | {BIAS} | how fast a joint opens by itself
    h_    | h    | f       | {BIAS} | rates of the speeds without accelerations
    sigma | σ    | w       | {MULTIPLIER} | multipliers of a joint
    F     | F    | n       | {BODY} | wrench on the body
    V0    | V₀   | n       | {BODY} | motion of the body without its constraint wrenches
    V     | V    | n       | {BODY} | motion of the body
    u     | u    | 1       | {SPEED} | speed of a hinge
""")

#: What is said besides of nodes and their merges.
NODES = SHARED | letters(f"""
    Xi    | Ξ    | w w sym | {LEAF} | how fast a node's joints open by their multipliers
    xi    | ξ    | w       | {LEAF} | how fast a node's joints open without their multipliers
    XiA   | Ξ_A  | w w sym | | Ξ of the first node
    XiB   | Ξ_B  | w w sym | | Ξ of the second node
    xiA   | ξ_A  | w       | | ξ of the first node
    xiB   | ξ_B  | w       | | ξ of the second node
    g     | γ    | w       | | how fast a joint opens by itself
    G     | G    | w w sym | {GATHERED} | how fast the joined joints open by their multipliers
    l     | l    | w       | {GATHERED} | L of G = L D Lᵀ below its diagonal, row by row
    inv   | d    | w       | {GATHERED} | inverse of the diagonal D of G = L D Lᵀ
    P     | P    | w w     | {GATHERED} | inverse of G, of least norm where conditions are redundant
    U     | U    | w w     | {MERGE} | what the multipliers take from those that stay open
    s     | s    | w       | {MERGE} | minus the multipliers, if those that stay open are zero
    z     | z    | w       | {MERGE} | how fast the joined joints open without multipliers
    y     | y    | w       | {MULTIPLIER} | minus the multipliers, or Lᵀ times that
    sigmaA | σ_A | w       | | multipliers of a joint of the first node
    sigmaB | σ_B | w       | | multipliers of a joint of the second node
    Ib    | I_b  | n n sym | {HUB} | inertia that branches add to a hub
    pb    | p_b  | n       | {HUB} | wrench that branches put on a hub at rest, reversed
    Fb    | F_b  | n       | {BODY} | wrench of the joints by which branches hang on a hub
    MA    | M_h  | n n sym | {HUB} | inertia of a hub with its branches
    Phi   | Φ    | n n sym | {HUB} | inverse of the inertia of a hub with its branches
    Vh    | V_h  | n       | {HUB} | motion of a hub with its branches, without its open joints
    x     | σ    | w       | {REFINED} | multipliers of a joint
    d     | d    | w       | {REACH} | how fast a joint's bodies alone yield to each constraint
    o     | φ̇    | w       | {REFINED} | how fast a joint opens
""")

#: What is said besides of momenta, and of accelerations that speeds and forces give.
MOVING = SHARED | letters(f"""
    wI    | Ω    | s       | {POINT} | angular velocity, in inertial axes
    wl    | ω    | s       | own | angular velocity, in link axes or in those of the hinge
    wc    | Ω_B  | s       | | angular velocity of the axes B
    vx    | v    | d       | {POINT} | velocity of the link's origin, m/s
    Vr    | ΔV   | n       | {BIAS} | motion of the link relative to its parent
    b     | b    | n       | {BIAS} | how much faster the link gets than its parent, H and D at rest
    T     | τ    | f       | | force along each freedom of a hinge
    P     | P    | n       | {LOADS} | wrench of forces and loads
    PC    | P_C  | n       | {MOMENTUM} | momentum of the body, less the impulses of its cuts
    Qf    | Q_f  | d       | {LOADS} | force on the link and on all outboard of it
    Qm    | Q_m  | s       | {LOADS} | moment on the link and on all outboard of it, at its origin
    fs    | f_s  | d       | {LOADS} | force on a link, or on a run of links
    ms    | m_s  | s       | {LOADS} | moment of the loads on a link, about its origin
    mt    | m_t  | s       | {LOADS} | moment on a link and by what the next one carries
    Pf    | P_f  | d       | {MOMENTUM} | linear momentum of a link and all outboard
    Pm    | P_m  | s       | {MOMENTUM} | angular momentum of a link and all outboard
    ps    | p_s  | d       | {MOMENTUM} | linear momentum of a link, or of a run of links
    ls    | l_s  | s       | {MOMENTUM} | angular momentum of a link, about its origin
    lt    | l_t  | s       | {MOMENTUM} | angular momentum with that of the next link's linear one
    ws    | ΔΩ   | s       | {BIAS} | spin of a link relative to its parent, or over a run of links
    vs    | Δv   | d       | {POINT} | how much faster a link's origin is, or over a run of links
    X     | Q′   | n       | {RATE} | what the impulse of a cut does, as a load
    p     | p    | 1       | {MOMENTUM} | joint momentum
    pd    | ṗ    | 1       | {RATE} | rate of a joint momentum
    w     | Ω    | s       | {POINT} | angular velocity, in inertial axes
    r     | r    | d       | | point of the cut, in link axes; of the ground's side in inertial ones
    K     | K    | d d rot | | axes of the cut, in link axes
    arm   | r′   | d       | | point of the cut, in link axes
    point | r    | d       | {CONDITION} | from the link's origin to the cut
    far   | ρ    | d       | {CONDITION} | from the parent's centre of mass to the child's point
    gap   | δ    | d       | {CONDITION} | from the parent's point to the child's
    phi   | φ    | 1       | {CONDITION} | how far the cut is open, condition by condition
    phid  | φ̇    | 1       | {CONDITION} | how fast the cut opens, condition by condition
    c     | c    | 1       | | how fast the cut is to open
    Wa_   | W_a  | n w     | {CONDITION} | directions of the cut's conditions, at the parent
    Wb_   | W_b  | n w     | {CONDITION} | directions of the cut's conditions, at the child
""")

#: What may be asked of a link besides; of joints, nodes and cuts the answers are given.
ASKED: Facts = {
    **FACTS,
    "width": lambda tree, link: tree.width(link),
    "complete": lambda tree, link: tree.ways[link.name].complete,
    "rooted": lambda _, link: link.parent is None,
    "widths": lambda tree, link: tree.widths(tree.at[link.name]),
    "hub": lambda tree, link: link.name in tree.hub_names,
    "cut_count": lambda tree, link: len(tree.cuts_at(link.name)),
}

traced = tracing(NODES, ASKED, {})

moving = tracing(MOVING, ASKED, {})
