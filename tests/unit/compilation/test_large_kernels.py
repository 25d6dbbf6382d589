"""Large files of kernels are compiled with less optimization, which takes half the time for the same speed."""

from types import SimpleNamespace

from mobod.compilation.native.built_functions import LARGE, functions_order


def test_files_above_a_size_have_a_flag_of_their_own():
    files = {"kernel_large.c": "/* " + "x" * LARGE + " */\n", "kernel_small.c": "/* */\n"}
    order = functions_order(SimpleNamespace(functions=(), files=files))
    assert order.flags_of == {"kernel_large.c": ("-O1",)}
    assert "-O2" in order.compile_flags
