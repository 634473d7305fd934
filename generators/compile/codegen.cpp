#include "generators/compile/codegen.h"

#include <algorithm>
#include <thread>

namespace halogen {

namespace {

void write(const Halide::Module& module, const std::string& object) {
    module.compile({{Halide::OutputFileType::object, object}});
}

}  // namespace

Codegen::~Codegen() {
    for (std::future<void>& one : running_) one.wait();
}

void Codegen::add(const Halide::Module& module, const std::string& object) {
    if (at_once_) return write(module, object);
    if (running_.size() - ended_ >= std::max(1u, std::thread::hardware_concurrency())) running_[ended_++].wait();
    running_.push_back(std::async(std::launch::async, [=] { write(module, object); }));
}

void Codegen::wait() {
    ended_ = 0;
    while (!running_.empty()) {
        std::future<void> first = std::move(running_.front());  // what throws is no longer waited for
        running_.pop_front();
        first.get();
    }
}

}  // namespace halogen
