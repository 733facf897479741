"""The rules as the API server enforces them: ValidatingAdmissionPolicies, their bindings and what they read."""
