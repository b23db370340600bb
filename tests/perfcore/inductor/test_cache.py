"""Finding Inductor's files: where they lie, which are opened, and what is known of them without reading them."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from perfcore.inductor.cache import (
    SourceIndex,
    cache_directories,
    is_inductor_path,
    looks_like_inductor,
    read_sources,
)
from perfcore.inductor.content_hash import hash_in_path, text_hash
from tests.ground_truth import CORPUS

BLOCK = CORPUS / "2.13.0/transformer_block_bf16"
RMS_NORM = "triton_red_fused_add_mean_mul_pow_rsqrt_0"
RMS_NORM_HASH = "cdhgiqet2rb44r7b5rf4pn6g3z5jyvs435vi2qsiwjknnmv42nzd"
RMS_NORM_FILE = BLOCK / "cache/dh" / f"{RMS_NORM_HASH}.py"
WRAPPER_IN_CACHE = BLOCK / "cache/4u/c4udaehq3pi5gqqxpskmmb4ytickrtpnwovx5ndxgzwucyfvtqrs.py"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are opened while the test runs."""
    names: list[str] = []
    original = Path.open

    def open_and_note(self: Path, *args: object, **kwargs: object) -> object:
        names.append(self.name)
        return original(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", open_and_note)
    return names


def test_directories_in_the_order_of_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/env/cache")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("LOGNAME", "me")
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/tmp")
    assert [str(path) for path in cache_directories(["/given/one", "/given/two"])] == [
        "/given/one",
        "/given/two",
        "/env/cache",
        "/home/me/.cache/torchinductor",
        "/tmp/torchinductor_me",
    ]


def test_a_directory_that_is_found_twice_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/given")
    assert cache_directories(["/given"]).count(Path("/given")) == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"/tmp/torchinductor_root/dh/{RMS_NORM_HASH}.py", True),
        (rf"C:\Users\me\AppData\Local\Temp\torchinductor_me\dh\{RMS_NORM_HASH}.py", True),
        (f"/tmp/torchinductor_root/zz/{RMS_NORM_HASH}.py", False),  # a folder of another hash
        (f"{RMS_NORM_HASH}.py", False),
        ("/etc/passwd", False),
        ("/home/me/model.py", False),
        (f"/tmp/dh/{RMS_NORM_HASH}.cubin", False),
        ("", False),
    ],
)
def test_paths_that_are_inductors(path: str, expected: bool) -> None:
    assert is_inductor_path(path) is expected


def test_texts_that_are_inductors() -> None:
    assert looks_like_inductor(RMS_NORM_FILE.read_text())
    assert looks_like_inductor((BLOCK / "output_code.py").read_text())
    assert not looks_like_inductor("import torch\n\nclass Model(torch.nn.Module):\n    pass\n")
    assert not looks_like_inductor("@triton.jit\ndef kernel(x_ptr, BLOCK: tl.constexpr):\n    pass\n")


def test_the_content_hash_is_made_from_the_text() -> None:
    assert text_hash(RMS_NORM_FILE.read_text()) == RMS_NORM_HASH
    assert hash_in_path(str(RMS_NORM_FILE)) == RMS_NORM_HASH


def test_by_hash_gives_the_kernels_own_file_first_then_the_wrapper() -> None:
    index = SourceIndex()
    assert index.add_file(BLOCK / "output_code.py") == ()
    assert index.add_file(RMS_NORM_FILE) == ()
    kernels = index.by_hash(RMS_NORM_HASH)
    assert [Path(kernel.path).name for kernel in kernels] == [RMS_NORM_FILE.name, "output_code.py"]
    assert [kernel.variable for kernel in kernels] == [None, RMS_NORM]


def test_a_kernels_own_file_gets_the_operators_that_only_the_wrapper_names() -> None:
    index = SourceIndex()
    index.add_file(RMS_NORM_FILE)
    assert index.by_hash(RMS_NORM_HASH)[0].original_aten is None
    index.add_file(BLOCK / "output_code.py")
    expected = ("aten.pow", "aten.mean", "aten.add", "aten.rsqrt", "aten.mul")
    assert index.by_hash(RMS_NORM_HASH)[0].original_aten == expected


def test_by_hash_opens_one_file_of_a_cache_directory(opened: list[str]) -> None:
    index = SourceIndex()
    index.add_directory(BLOCK / "cache")
    assert opened == []
    assert [kernel.name for kernel in index.by_hash(RMS_NORM_HASH)] == [RMS_NORM]
    assert set(opened) == {RMS_NORM_FILE.name}


def test_by_name_gives_each_different_kernel_once() -> None:
    index = SourceIndex()
    index.add_directory(BLOCK, given=True)  # the wrapper twice, kernels by themselves, nouniq and pb beside
    kernels = index.by_name(RMS_NORM)
    assert len({kernel.content_hash for kernel in kernels}) == len(kernels) == 3
    assert all(kernel.variable is None for kernel in kernels)


def test_by_name_finds_by_the_functions_name_and_by_a_cut_name() -> None:
    index = SourceIndex()
    index.add_directory(BLOCK / "nouniq/cache")
    assert {kernel.def_name for kernel in index.by_name("triton_")} == {"triton_"}
    assert len(index.by_name("triton_")) == 4
    index.add_directory(CORPUS / "2.13.0/maxpool_train/cache")
    names = {kernel.name for reading in index.files() for kernel in reading.kernels}
    longest = max(names, key=len)
    assert len(longest) > 63
    cut = longest[:63]
    assert {kernel.name for kernel in index.by_name(cut)} == {name for name in names if name.startswith(cut)}
    assert [kernel.name for kernel in index.by_name(longest + ".kd")] == [longest]
    assert index.by_name(longest[:30]) == ()


def test_a_given_directory_is_searched_at_any_depth_and_for_copies_under_other_names(tmp_path: Path) -> None:
    nested = tmp_path / "run/rank_0/deep"
    nested.mkdir(parents=True)
    shutil.copy(RMS_NORM_FILE, nested / "copied.py")
    (nested / "model.py").write_text("import torch\n")
    index = SourceIndex()
    assert index.add_directory(tmp_path, given=True) == ()
    assert [Path(kernel.path).name for kernel in index.by_name(RMS_NORM)] == ["copied.py"]
    assert [Path(kernel.path).name for kernel in index.by_hash(RMS_NORM_HASH)] == ["copied.py"]


def test_a_directory_that_nobody_gave_is_searched_only_as_a_cache(tmp_path: Path, opened: list[str]) -> None:
    shutil.copytree(RMS_NORM_FILE.parent, tmp_path / "dh")
    shutil.copy(BLOCK / "output_code.py", tmp_path / "output_code.py")
    (tmp_path / "zz").mkdir()
    shutil.copy(RMS_NORM_FILE, tmp_path / "zz" / RMS_NORM_FILE.name)
    (tmp_path / "dh" / "secret.py").write_text("password = 1\n")
    opened.clear()
    index = SourceIndex()
    index.add_directory(tmp_path)
    assert index.scan() is True
    assert set(opened) == {RMS_NORM_FILE.name}
    assert len(index.by_name(RMS_NORM)) == 1


def test_missing_directories_are_silent_unless_given(tmp_path: Path) -> None:
    index = SourceIndex()
    assert index.add_directory(tmp_path / "absent") == ()
    (problem,) = index.add_directory(tmp_path / "absent", given=True)
    assert problem.code == "source-unreadable"
    assert "does not exist" in problem.message
    assert index.by_name(RMS_NORM) == ()


def test_a_file_given_for_a_directory_is_taken_in() -> None:
    index = SourceIndex()
    assert index.add_directory(BLOCK / "output_code.py", given=True) == ()
    assert len(index.by_name(RMS_NORM)) == 1


def test_of_a_directory_with_a_whole_program_not_every_module_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    monkeypatch.setattr("perfcore.inductor.cache_files.MAX_OTHER_FILES", 3)
    for number in range(20):
        (tmp_path / f"module_{number}.py").write_text("import torch\n")
    shutil.copy(RMS_NORM_FILE, tmp_path)
    shutil.copy(BLOCK / "output_code.py", tmp_path / "output_code_7.py")
    opened.clear()
    index = SourceIndex()
    index.add_directory(tmp_path, given=True)
    assert len(index.by_name(RMS_NORM)) == 1
    assert len({name for name in opened if name.startswith("module")}) == 3


def test_an_unreadable_directory_has_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(os, "scandir", refuse)
    index = SourceIndex()
    index.add_directory(BLOCK, given=True)
    assert index.by_name(RMS_NORM) == ()


def test_looking_again_costs_a_stat_for_a_file_that_is_unchanged(tmp_path: Path, opened: list[str]) -> None:
    cache = shutil.copytree(BLOCK / "cache", tmp_path / "cache")
    index = SourceIndex()
    index.add_directory(cache)
    assert index.scan() is True
    seen = len(opened)
    index.add_directory(cache)
    assert index.scan() is False
    assert len(opened) == seen


def test_changed_new_and_deleted_files_are_seen_on_the_next_look(tmp_path: Path) -> None:
    cache = shutil.copytree(BLOCK / "cache", tmp_path / "cache")
    index = SourceIndex()
    index.add_directory(cache)
    index.scan()
    assert [kernel.name for kernel in index.by_hash(RMS_NORM_HASH)] == [RMS_NORM] * 2
    shutil.rmtree(cache / "dh")
    changed = cache / "4u" / WRAPPER_IN_CACHE.name
    changed.write_text(changed.read_text().replace("fused_add_mean_mul_pow_rsqrt_0", "fused_new_0"))
    index.add_directory(cache)
    assert index.scan() is True
    assert index.by_name(RMS_NORM) == ()
    assert [kernel.name for kernel in index.by_name("triton_red_fused_new_0")] == ["triton_red_fused_new_0"]


def test_a_kernel_compiled_after_the_scan_is_found_by_hash(tmp_path: Path) -> None:
    index = SourceIndex()
    index.add_directory(tmp_path)
    index.scan()
    shutil.copytree(RMS_NORM_FILE.parent, tmp_path / "dh")
    assert [kernel.name for kernel in index.by_hash(RMS_NORM_HASH)] == [RMS_NORM]


def test_what_an_editor_holds_is_read_instead_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "output_code.py"
    shutil.copy(BLOCK / "output_code.py", path)
    index = SourceIndex()
    index.add_file(path, path.read_text().replace("'x': 32768", "'x': 4096"))
    index.add_directory(tmp_path, given=True)
    assert index.by_name(RMS_NORM)[0].size_hints == (("x", 4096), ("r0_", 2048))
    index.add_file(path)
    assert index.by_name(RMS_NORM)[0].size_hints == (("x", 32768), ("r0_", 2048))
    index.remove_file(path)
    assert index.by_name(RMS_NORM) == ()


def test_what_an_editor_holds_is_parsed_once_for_all_indexes() -> None:
    """Settings that change where to look make a new index; a wrapper of ten thousand kernels takes seconds."""
    text = (BLOCK / "output_code.py").read_text()
    first, second = SourceIndex(), SourceIndex()
    first.add_file("/w/output_code.py", text)
    reading = first.file("/w/output_code.py")
    assert reading is not None
    second.take_over(first)
    second.add_file("/w/output_code.py", "".join(text))
    assert second.file("/w/output_code.py") is reading
    assert second.by_name(RMS_NORM) == first.by_name(RMS_NORM)
    second.add_file("/w/output_code.py", text + "\n")
    assert second.file("/w/output_code.py") is not reading


def test_a_file_given_that_is_not_inductors_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("import torch\n")
    index = SourceIndex()
    (problem,) = index.add_file(path)
    assert problem.code == "not-inductor"
    (problem,) = index.add_file(tmp_path / "absent.py")
    assert problem.code == "source-unreadable"


def test_a_file_with_a_hashs_name_that_is_not_inductors_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "dh").mkdir()
    (tmp_path / "dh" / RMS_NORM_FILE.name).write_text("root:x:0:0:root:/root:/bin/bash\n")
    index = SourceIndex()
    index.add_directory(tmp_path)
    assert index.by_hash(RMS_NORM_HASH) == ()


def test_a_file_that_was_edited_after_inductor_wrote_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "dh").mkdir()
    path = tmp_path / "dh" / RMS_NORM_FILE.name
    path.write_text(RMS_NORM_FILE.read_text().replace("2048.0", "1024.0"))
    index = SourceIndex()
    index.add_directory(tmp_path)
    assert [kernel.edited for kernel in index.by_hash(RMS_NORM_HASH)] == [True]


def test_a_wrapper_edited_in_the_editor_is_still_known_by_its_path_comment() -> None:
    text = (BLOCK / "output_code.py").read_text()
    index = SourceIndex()
    index.add_file("output_code.py", text.replace("tmp0 * tmp0", "tmp0 + tmp0"))
    assert [kernel.edited for kernel in index.by_hash(RMS_NORM_HASH)] == [True]
    index.add_file(RMS_NORM_FILE)
    assert [kernel.edited for kernel in index.by_hash(RMS_NORM_HASH)] == [False]


def test_line_breaks_of_another_system_are_no_edit(tmp_path: Path) -> None:
    (tmp_path / "dh").mkdir()
    path = tmp_path / "dh" / RMS_NORM_FILE.name
    path.write_bytes(RMS_NORM_FILE.read_bytes().replace(b"\n", b"\r\n"))
    index = SourceIndex()
    index.add_directory(tmp_path)
    assert [kernel.edited for kernel in index.by_hash(RMS_NORM_HASH)] == [False]


def test_huge_files_pipes_and_directories_with_a_hashs_name_are_not_read(
    tmp_path: Path, opened: list[str]
) -> None:
    (tmp_path / "dh").mkdir()
    path = tmp_path / "dh" / RMS_NORM_FILE.name
    index = SourceIndex()
    index.add_directory(tmp_path)
    os.mkfifo(path)
    assert index.by_hash(RMS_NORM_HASH) == ()
    path.unlink()
    path.mkdir()
    assert index.by_hash(RMS_NORM_HASH) == ()
    path.rmdir()
    with path.open("wb") as file:
        file.truncate(65 << 20)
    opened.clear()
    assert index.by_hash(RMS_NORM_HASH) == ()
    (problem,) = index.add_file(path)
    assert "65 MB" in problem.message
    assert opened == []


def test_links_that_lead_back_are_followed_once(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/up").symlink_to(tmp_path)
    (tmp_path / "a/b/self").symlink_to(tmp_path / "a/b/self")
    shutil.copy(RMS_NORM_FILE, tmp_path / "a/b/kernel.py")
    index = SourceIndex()
    index.add_directory(tmp_path, given=True)
    assert [reading.path for reading in index.files()] == [str(tmp_path / "a/b/kernel.py")]


def test_a_path_of_the_trace_is_tried_here_and_through_the_mappings(tmp_path: Path) -> None:
    shutil.copytree(RMS_NORM_FILE.parent, tmp_path / "mirror/dh")
    here = str(tmp_path / "mirror/dh" / RMS_NORM_FILE.name)
    assert len(SourceIndex().by_hash(RMS_NORM_HASH, here)) == 1
    there = f"/tmp/torchinductor_root/dh/{RMS_NORM_FILE.name}"
    assert SourceIndex().by_hash(RMS_NORM_HASH, there) == ()
    mapped = SourceIndex(path_mappings=[("/tmp/torchinductor_root", str(tmp_path / "mirror"))])
    assert [kernel.path for kernel in mapped.by_hash(RMS_NORM_HASH, there)] == [here]
    windows = rf"D:\cache\dh\{RMS_NORM_FILE.name}"
    mapped = SourceIndex(path_mappings=[("D:\\cache\\", str(tmp_path / "mirror"))])
    assert [kernel.path for kernel in mapped.by_hash(RMS_NORM_HASH, windows)] == [here]


def test_a_path_of_the_trace_that_is_no_hash_is_never_opened(tmp_path: Path, opened: list[str]) -> None:
    path = tmp_path / "kernel.py"
    shutil.copy(RMS_NORM_FILE, path)
    opened.clear()
    assert SourceIndex().by_hash(RMS_NORM_HASH, str(path)) == ()
    assert SourceIndex().by_hash("passwd", "/etc/passwd") == ()
    assert opened == []


def test_a_network_path_of_the_trace_is_never_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("perfcore.inductor.cache.file_stamp", lambda path: asked.append(str(path)))
    index = SourceIndex()
    index.by_hash(RMS_NORM_HASH, rf"\\attacker\share\dh\{RMS_NORM_HASH}.py")
    index.by_hash(RMS_NORM_HASH, f"//attacker/share/dh/{RMS_NORM_HASH}.py")
    assert asked == []


def test_a_scan_can_be_cancelled_and_taken_up_again() -> None:
    index = SourceIndex()
    index.add_directory(BLOCK / "cache")
    index.scan(cancelled=lambda: True)
    assert len(index.by_name(RMS_NORM)) == 1


def test_every_kernel_of_files_and_directories_once() -> None:
    kernels, _, problems = read_sources([BLOCK / "cache", BLOCK / "output_code.py"])
    assert problems == ()
    assert len(kernels) == 4
    assert all(kernel.variable is None and kernel.original_aten for kernel in kernels)
    kernels, _, _ = read_sources([BLOCK / "output_code.py"])
    assert [kernel.line for kernel in kernels] == sorted(kernel.line for kernel in kernels)
    assert all(kernel.path.endswith("output_code.py") for kernel in kernels)


def test_what_cannot_be_read_is_said_and_costs_nothing_else(tmp_path: Path) -> None:
    kernels, _, problems = read_sources([tmp_path / "absent", tmp_path / "absent.py", RMS_NORM_FILE])
    assert [kernel.name for kernel in kernels] == [RMS_NORM]
    assert len(problems) == 2


def test_lookups_while_the_index_changes(tmp_path: Path) -> None:
    """A scan in the background, an editor's changes and lookups at once: nothing raises, and the end is right."""
    cache = shutil.copytree(BLOCK / "cache", tmp_path / "cache")
    text = (BLOCK / "output_code.py").read_text()
    index = SourceIndex()

    def change(turn: int) -> None:
        index.add_directory(cache)
        index.add_file(tmp_path / f"{turn % 3}.py", text)
        index.scan()
        index.remove_file(tmp_path / f"{(turn + 1) % 3}.py")

    def look(_: int) -> int:
        return len(index.by_hash(RMS_NORM_HASH)) + len(index.by_name(RMS_NORM)) + len(list(index.files()))

    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(work, turn) for turn in range(60) for work in (change, look)]
        for task in tasks:
            task.result()
    for turn in range(3):
        index.remove_file(tmp_path / f"{turn}.py")
    assert [Path(kernel.path).name for kernel in index.by_hash(RMS_NORM_HASH)] == [
        RMS_NORM_FILE.name,
        WRAPPER_IN_CACHE.name,
    ]
