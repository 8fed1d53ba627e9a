"""One Run: identity, deadline, budget, cancellation, one terminal state, and the gate to a model."""
