#include "schedules/bind/strip_checks.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace halogen {

namespace {

class StripChecks : public Halide::Internal::IRMutator {
public:
    explicit StripChecks(bool in_bounds) : in_bounds_(in_bounds) {}

private:
    using IRMutator::visit;

    Halide::Internal::Stmt visit(const Halide::Internal::AssertStmt* check) override {
        static const std::set<std::string> made_before = {
            "halide_error_bad_dimensions",
            "halide_error_bad_type",
            "halide_error_buffer_allocation_too_large",
            "halide_error_buffer_argument_is_null",
            "halide_error_buffer_extents_negative",
            "halide_error_buffer_extents_too_large",
            "halide_error_buffer_is_null",
            "halide_error_constraint_violated",
            "halide_error_constraints_make_required_region_smaller",
            "halide_error_device_dirty_with_no_device_support",
            "halide_error_host_and_device_dirty",
            "halide_error_host_is_null",
        };
        Halide::Expr message = check->message;
        while (const auto* let = message.as<Halide::Internal::Let>()) message = let->body;
        const auto* error = message.as<Halide::Internal::Call>();
        if (!error) return check;
        const bool of_bounds = error->name == "halide_error_access_out_of_bounds";
        if (made_before.count(error->name) || (in_bounds_ && of_bounds)) return Halide::Internal::Evaluate::make(0);
        return of_bounds ? Halide::Internal::AssertStmt::make(check->condition || is_empty(*error), check->message)
                         : Halide::Internal::Stmt(check);
    }

    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt* let) override {
        const std::size_t dot = let->name.rfind(".extent.");
        if (dot != std::string::npos) extents_.emplace(let->name.substr(0, dot), let->name);
        return IRMutator::visit(let);
    }

    /// The buffer of the error is a result without elements: beside another that has some, the kernel is called, and Halide takes the
    /// remainder by a product of extents for 0 at least, where no iteration asks for one.
    Halide::Expr is_empty(const Halide::Internal::Call& error) const {
        static const std::string output = "Output buffer ";
        Halide::Expr empty = Halide::Internal::const_false();
        for (const Halide::Expr& argument : error.args) {
            const auto* text = argument.as<Halide::Internal::StringImm>();
            if (!text || text->value.rfind(output, 0) != 0) continue;
            const auto [first, last] = extents_.equal_range(text->value.substr(output.size()));
            for (auto extent = first; extent != last; ++extent)
                empty = empty || Halide::Internal::Variable::make(Halide::Int(32), extent->second) <= 0;
        }
        return empty;
    }

    const bool in_bounds_;
    std::multimap<std::string, std::string> extents_;  // the names of a buffer's
};

}  // namespace

void strip_checks(Halide::Pipeline& pipeline, bool in_bounds) {
    pipeline.add_custom_lowering_pass(new StripChecks(in_bounds));
}

}  // namespace halogen
