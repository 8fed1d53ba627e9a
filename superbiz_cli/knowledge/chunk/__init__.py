"""From a document to its chunks: `blocks` parses, `sections` groups, `split` bounds, `chunks` packs."""
