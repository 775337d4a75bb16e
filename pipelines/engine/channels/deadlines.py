"""How long a provider may take. The worker's settings hold it, so it stands with them."""

from pipelines.settings import ProviderDeadlines

__all__ = ["ProviderDeadlines"]
