"""What the papers' studies share: their parts, their page, the clock, redundant coordinates."""
