"""Floor 5: worlds as the environments other libraries expect. Each module needs the extra ``adapters``."""
