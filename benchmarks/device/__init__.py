"""Target `cuda` on a graphics processor: what is prepared here, and checked and timed there."""
