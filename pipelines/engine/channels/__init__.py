"""What stands between the engine and the providers' models: no fault of a provider is heard."""
