from __future__ import annotations

import numpy as np

from knowledge.embedding.minilm import DIMENSIONS, local_model


def test_texts_of_like_meaning_have_like_vectors() -> None:
    vectors = local_model().embed(
        ["Can I bring my dog?", "Pets are welcome.", "Breakfast is served from seven."]
    )
    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_its_batch() -> None:
    texts = [f"{'word ' * length}end" for length in range(40)]
    together, alone = local_model().embed(texts), local_model().embed(texts[5:6])
    assert together[5] @ alone[0] > 0.99
