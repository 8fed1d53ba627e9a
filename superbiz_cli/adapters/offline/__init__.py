"""The offline model's drivers: one a role, reading only what a model would be sent.

Reading order: words, transcript, query_terms, sighting, plan, survey, agent, draft; then router,
judge, repair, answer.
"""
