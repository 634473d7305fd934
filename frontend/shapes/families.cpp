#include "frontend/shapes/families.h"

namespace halogen::shapes {

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        elementwise_family(), contraction_family(), convolution_family(),   pooling_family(),  attention_family(),
        reduction_family(),   scan_family(),        normalisation_family(), loss_family(),     matrix_family(),
        view_family(),        splitting_family(),   joining_family(),       layout_family(),   padding_family(),
        indexing_family(),    scatter_family(),     resampling_family(),    creation_family(),
    };
    return all;
}

}  // namespace halogen::shapes
