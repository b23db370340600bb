"""How the wrappers call each kernel: the arguments that its own file does not know."""

from __future__ import annotations

from collections.abc import Iterable

from perfcore.inductor.model import CallSite, InductorFile


def calls_by_kernel(files: Iterable[InductorFile]) -> dict[str, CallSite]:
    """Content hash → the kernel's call in the wrappers, for kernels that all calls give the same arguments.
    A kernel that is called with different shapes has no one answer, so it is left out."""
    calls: dict[str, CallSite | None] = {}
    for file in files:
        hashes = {kernel.name: kernel.content_hash for kernel in file.kernels}
        for site in file.call_sites:
            for name in site.kernels:
                content_hash = hashes.get(name)
                if content_hash is None:
                    continue
                known = calls.setdefault(content_hash, site)
                if known is not None and (known.shapes != site.shapes or _numbers(known) != _numbers(site)):
                    calls[content_hash] = None
    return {content_hash: site for content_hash, site in calls.items() if site is not None}


def _numbers(site: CallSite) -> list[str]:
    return [text for text in site.args if text.isdecimal()]
