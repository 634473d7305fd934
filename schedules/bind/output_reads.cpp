#include "schedules/bind/output_reads.h"

#include <map>
#include <string>
#include <utility>

namespace halogen {

namespace {

using namespace Halide::Internal;

class OutputReads : public IRMutator {
public:
    explicit OutputReads(std::map<std::string, Halide::Parameter> buffers) : buffers_(std::move(buffers)) {}

private:
    using IRMutator::visit;

    Halide::Expr visit(const Load* load) override {
        const auto buffer = load->param.defined() ? buffers_.end() : buffers_.find(load->name);
        if (buffer == buffers_.end()) return IRMutator::visit(load);
        return Load::make(load->type, load->name, mutate(load->index), {}, buffer->second, mutate(load->predicate),
                          load->alignment);
    }

    const std::map<std::string, Halide::Parameter> buffers_;
};

}  // namespace

void read_outputs_unaligned(Halide::Pipeline& pipeline, const std::vector<Halide::Func>& outputs) {
    std::map<std::string, Halide::Parameter> buffers;
    for (const Halide::Func& output : outputs) buffers[output.name()] = output.output_buffer().parameter();
    pipeline.add_custom_lowering_pass(new OutputReads(std::move(buffers)));
}

}  // namespace halogen
