// The worker: one program per instruction set, so that Eigen is compiled for the same one as Halogen's kernels run on.
// Reads the photograph from standard input ("HEIGHT WIDTH\n" and the samples) and answers with messages (messages.h).
#include "messages.h"
#include "session.h"

#include "halogen/kernels/color_matrix.h"
#include "halogen/kernels/conv2d.h"
#include "halogen/kernels/gaussian_blur.h"
#include "halogen/kernels/histogram.h"
#include "halogen/kernels/matmul.h"
#include "halogen/kernels/max_pool2d.h"
#include "halogen/kernels/sobel.h"
#include "halogen/leg.h"

#include <Eigen/Core>

#include <cstdio>
#include <exception>

namespace halogen::demo {
namespace {

Picture read_photo() {
    int height = 0, width = 0;
    if (std::scanf("%d %d", &height, &width) != 2 || std::getchar() != '\n' || height < 1 || width < 1)
        throw Stop("the worker was given no photograph");
    Picture photo(height, width);
    if (std::fread(photo.samples.data(), 1, photo.samples.size(), stdin) != photo.samples.size())
        throw Stop("the worker was given half a photograph");
    return photo;
}

/// Whether this processor can run the leg of every kernel.
Status check_leg() {
    for (const detail::KernelInfo* info :
         {&kernels::color_matrix_detail::info, &kernels::conv2d_detail::info, &kernels::gaussian_blur_detail::info,
          &kernels::histogram_detail::info, &kernels::matmul_detail::info, &kernels::max_pool2d_detail::info,
          &kernels::sobel_detail::info}) {
        const detail::LegInfo* chosen = nullptr;
        if (Status status = detail::choose_leg(info->name, info->legs, info->leg_count, DEMO_LEG, chosen); !status)
            return status;
    }
    return {};
}

int work() {
    if (const Status status = check_leg(); !status) {
        send_failure("leg", std::string(status.message()));
        return 0;
    }
    send_ready(DEMO_LEG, DEMO_FLAGS, "g++ " __VERSION__,
               std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                   std::to_string(EIGEN_MINOR_VERSION));
    Session session(read_photo(), DEMO_LEG);
    for (auto* stage :
         {grey_stage, blur_stage, edges_stage, features_stage, pooling_stage, histogram_stage, patches_stage})
        stage(session);
    send_done();
    return 0;
}

}  // namespace
}  // namespace halogen::demo

int main() {
    try {
        return halogen::demo::work();
    } catch (const std::exception& e) {
        halogen::demo::send_failure("failed", e.what());
        return 1;
    }
}
