"""`python -m inductor_lens` is `inductor-lens`."""

import sys

from inductor_lens.cli import main

sys.exit(main())
