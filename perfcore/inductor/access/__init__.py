"""What a kernel's own source says it reads and writes: the exact tier.

`analyse` reads a kernel's text once, without knowing its launch; `moved` counts for the numels of a launch.
"""

from perfcore.inductor.access.analyse import analyse
from perfcore.inductor.access.body_flops import body_flops
from perfcore.inductor.access.model import Access, Accesses, Moved, Traffic, Unanalysed
from perfcore.inductor.access.moved import moved
from perfcore.inductor.access.template_flops import template_flops

__all__ = [
    "Access",
    "Accesses",
    "Moved",
    "Traffic",
    "Unanalysed",
    "analyse",
    "body_flops",
    "moved",
    "template_flops",
]
