from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowledge.bundle import Bundle, BundleDamaged, digest_of, packed
from knowledge.passages import Passage

PASSAGES = (Passage("Hotel › Pets", "Dogs are welcome."), Passage("Hotel", "कमरे का किराया"))
VECTORS = np.eye(2, 4, dtype=np.float32)


def test_a_bundle_holds_what_was_packed(tmp_path: Path) -> None:
    file = tmp_path / "bundle"
    file.write_bytes(packed(PASSAGES, VECTORS, "a-model"))
    bundle = Bundle.mapped(file)
    assert bundle.model == "a-model"
    assert [bundle.passage(at) for at in range(len(bundle))] == list(PASSAGES)
    assert bundle.vectors.dtype == np.float16
    assert bundle.vectors.tolist() == VECTORS.tolist()


def test_words_lead_to_their_passages() -> None:
    bundle = Bundle(packed(PASSAGES, VECTORS, "a-model"))
    assert bundle.with_term("dogs")[0].tolist() == [0]
    assert bundle.with_term("hotel")[0].tolist() == [0, 1]
    assert bundle.with_term("किराया")[0].tolist() == [1]
    assert bundle.with_term("cats")[0].tolist() == []


def test_the_same_passages_have_the_same_digest() -> None:
    first, second = (digest_of(packed(PASSAGES, VECTORS, "a-model")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("content", [b"", b"something else", packed(PASSAGES, VECTORS, "m")[:300]])
def test_a_damaged_file_is_no_bundle(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bundle"
    file.write_bytes(content)
    with pytest.raises(BundleDamaged):
        Bundle.mapped(file)
