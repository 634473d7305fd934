#include "stages.h"

namespace halogen::demo {

const std::vector<Stage>& stages() {
    static const std::vector<Stage> all{
        {"grey",
         "Colour to grey",
         "A colour matrix of one row, 0.299 0.587 0.114, applied to each pixel. Three channels go in with stride 3, "
         "one comes out dense.",
         {{"grey", "Grey, by the weights of ITU-R BT.601"}}},
        {"blur",
         "Gaussian blur",
         "Two passes of 13 weights, sigma 2. The kernel computes its own weights and continues the picture by its "
         "border; nothing is padded or copied "
         "beforehand.",
         {{"blur", "The grey picture, blurred"}}},
        {"edges",
         "Sobel edges",
         "How steep the blurred picture is at each pixel.",
         {{"edges", "The length of the gradient"}}},
        {"features",
         "Eight filters, then the largest of each 2 x 2 window",
         "Gabor filters of eight directions over the colour photograph, 7 x 7 taps with a padding of 3, and max "
         "pooling of what they answer. The formulas "
         "for the output's height and width are found by the solver.",
         {{"features", "Eight pooled maps, a hue for each direction, the filter in the corner"}}},
        {"histogram",
         "Histogram",
         "How often each value occurs: a scatter in which points meet and add up. Each channel is a view of the "
         "photograph's own bytes with stride 3. Timed "
         "on the green one.",
         {{"histogram", "Counts of red, green and blue from 0 to 255"}}},
        {"patches",
         "Patches, as matrix products",
         "The photograph cut into patches of 8 x 8 pixels, a row of 192 numbers each. The first product finds how much "
         "of every principal pattern each patch "
         "holds; the second rebuilds the photograph from the first 24 of the 192. Its operands are windows of larger "
         "matrices, the second one transposed: "
         "strides, not copies.",
         {{"patterns", "The 24 strongest patterns of this photograph's patches"},
          {"rebuilt", "Rebuilt from 24 of 192 numbers per patch"}}},
    };
    return all;
}

}  // namespace halogen::demo
