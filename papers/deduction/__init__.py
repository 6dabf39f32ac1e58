"""The deduction paper: the overall transfer equation by the deduction theorem."""
