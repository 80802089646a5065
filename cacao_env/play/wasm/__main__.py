"""Builds the page's engine."""

import sys

from .build import main

sys.exit(main())
