"""What a model consists of: bodies, hinges, forces, frames; their names and units."""
