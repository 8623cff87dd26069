"""`python -m memkit`."""

from __future__ import annotations

import sys

from .cli.entry import main

sys.exit(main())
