"""How good the retrieval is on judged queries.

`golden` reads them, `measures` scores, `evaluation` runs, `baseline` compares with an earlier result,
`fit` calibrates the rating.
"""
