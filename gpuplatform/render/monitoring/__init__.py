"""What is measured, what is said about it and to whom: documents of the monitoring stack (M1-M6, Q9, B12)."""
