#pragma once
// The programs whose shapes are emitted as C++ headers and compiled into shape_emitted_test and bench_shapes.

#include "generators/emit/shape_json.h"

namespace halogen::test {

inline const char* const emitted_names[] = {"conv2d", "residual", "ranks", "pieces"};

inline const char* const emitted_programs[] = {
    R"({"inputs": {"x": {"shape": ["n", "c", "h", "w"]}, "f": {"shape": ["k", "c", "r", "s"]}}, "steps": [
        {"out": "y", "op": "conv2d", "args": {"input": {"ref": "x"}, "weight": {"ref": "f"}, "stride": [{"expr": "t"}],
         "padding": [{"expr": "p"}], "dilation": [{"expr": "d"}]}}]})",
    // Two halvings beside one by four.
    R"({"symbols": {"n": {"min": 1, "max": 64}}, "inputs": {"x": {"shape": ["n", 8, "h"]}}, "steps": [
        {"out": "a", "op": "max_pool1d", "args": {"input": {"ref": "x"}, "kernel_size": [2]}},
        {"out": "b", "op": "max_pool1d", "args": {"input": {"ref": "a"}, "kernel_size": [2]}},
        {"out": "c", "op": "max_pool1d", "args": {"input": {"ref": "x"}, "kernel_size": [4], "ceil_mode": true}},
        {"out": "y", "op": "add", "args": {"input": {"ref": "b"}, "other": {"ref": "c"}}}]})",
    // How many dims there are depends on n and m.
    R"({"inputs": {"x": {"shape": ["n", "m", 3]}, "z": {"shape": ["k"]}}, "steps": [
        {"out": "a", "op": "squeeze", "args": {"input": {"ref": "x"}}},
        {"out": "y", "op": "mul", "args": {"input": {"ref": "a"}, "other": {"ref": "z"}}}]})",
    // How many results there are depends on n.
    R"({"inputs": {"x": {"shape": ["n", "m"]}}, "steps": [
        {"out": "y", "op": "chunk", "args": {"input": {"ref": "x"}, "chunks": 3}}]})",
};

inline shapes::ShapeProgram emitted_program(std::size_t number) {
    shapes::Library library;
    return shape_program(library, read_program(nlohmann::ordered_json::parse(emitted_programs[number])));
}

}  // namespace halogen::test
