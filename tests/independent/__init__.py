"""Independent judges: textbook dynamics of a `Model`, sharing no formula with `mstmm.symbolic`.

`newton_euler`   every body's balance of force and moment, hinge forces as unknowns, dense solve
`lagrange`       virtual power in the angles (planar) or body-axes angular velocities (spatial)
`joints`         virtual power in joint coordinates, every hinge kind; loads from Newton–Euler
`hamiltonian`    augmented momenta of closed loops: dense saddle systems for velocities, forces
`absolute`       every hinge kind and topology: bodies in absolute coordinates, multipliers, KKT
`pinned`         planar links and pins in absolute coordinates, integrated in time
`four_rods`      Lagrange's equations of the demonstration example, derived by SymPy
`tree`           what they all read from a model: who hangs on whom, masses, arms
"""
