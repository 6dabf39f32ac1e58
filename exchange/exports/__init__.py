"""What goes around generated code so that other tools take it: projects, FMUs, wheels."""
