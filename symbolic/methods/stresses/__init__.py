"""What the hinges of closed loops can carry while nothing moves."""
