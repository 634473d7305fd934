#pragma once
// The operators by family: one file each, and in it one row an operator.

#include "frontend/shapes/call.h"

#include <string_view>
#include <vector>

namespace halogen::shapes {

struct Family {
    std::string_view name;
    std::string_view about;
    std::vector<Operator> operators;
};

Family attention_family();
Family contraction_family();
Family convolution_family();
Family creation_family();
Family elementwise_family();
Family indexing_family();
Family joining_family();
Family layout_family();
Family loss_family();
Family matrix_family();
Family normalisation_family();
Family padding_family();
Family pooling_family();
Family reduction_family();
Family resampling_family();
Family scan_family();
Family scatter_family();
Family splitting_family();
Family view_family();

/// All of them, in the order of the documentation.
const std::vector<Family>& families();

}  // namespace halogen::shapes
