#include "schedules/bind/strip_checks.h"

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
        const auto* error = check->message.as<Halide::Internal::Call>();
        const bool dropped = error && (made_before.count(error->name) ||
                                       (in_bounds_ && error->name == "halide_error_access_out_of_bounds"));
        return dropped ? Halide::Internal::Evaluate::make(0) : Halide::Internal::Stmt(check);
    }

    const bool in_bounds_;
};

}  // namespace

void strip_checks(Halide::Pipeline& pipeline, bool in_bounds) {
    pipeline.add_custom_lowering_pass(new StripChecks(in_bounds));
}

}  // namespace halogen
