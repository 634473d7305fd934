#include "schedules/bind/lone_element.h"

#include <algorithm>

namespace halogen {

namespace {

using namespace Halide::Internal;

/// The most lanes of a load or store of one allocation; 1 where all are scalars.
class Lanes : public IRVisitor {
public:
    explicit Lanes(std::string name) : name_(std::move(name)) {}
    int most = 1;

private:
    using IRVisitor::visit;

    void visit(const Load* load) override {
        if (load->name == name_) most = std::max(most, load->type.lanes());
        IRVisitor::visit(load);
    }
    void visit(const Store* store) override {
        if (store->name == name_) most = std::max(most, store->value.type().lanes());
        IRVisitor::visit(store);
    }

    std::string name_;
};

class StoreLoneElements : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const Allocate* allocate) override {
        Lanes lanes(allocate->name);
        if (allocate->constant_allocation_size() == 1) allocate->body.accept(&lanes);
        if (lanes.most == 1) return IRMutator::visit(allocate);
        return Allocate::make(allocate->name, allocate->type, allocate->memory_type, {lanes.most}, allocate->condition,
                              mutate(allocate->body), allocate->new_expr, allocate->free_function);
    }
};

}  // namespace

void store_lone_elements(Halide::Pipeline& pipeline) { pipeline.add_custom_lowering_pass(new StoreLoneElements); }

}  // namespace halogen
