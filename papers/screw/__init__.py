"""The screw paper: kinematics and dynamics of trees by screw and Lie group theory."""
