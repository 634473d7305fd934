#pragma once
// Which buffers code reads.

#include "Halide.h"

#include <set>
#include <string>

namespace halogen {

/// The buffers whose elements an expression is made of.
inline std::set<std::string> loaded_in(const Halide::Expr& e) {
    class Loads : public Halide::Internal::IRVisitor {
    public:
        std::set<std::string> names;

    private:
        using IRVisitor::visit;
        void visit(const Halide::Internal::Load* load) override {
            names.insert(load->name);
            IRVisitor::visit(load);
        }
    };
    Loads loads;
    e.accept(&loads);
    return loads.names;
}

}  // namespace halogen
